//! Says where libtally is: in TALLY_PREFIX/lib, or where pkg-config finds it, or where the linker looks anyway.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=TALLY_PREFIX");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    println!("cargo:rustc-link-lib=tally");
    if let Ok(prefix) = std::env::var("TALLY_PREFIX") {
        println!("cargo:rustc-link-search={}/lib", prefix);
        return;
    }
    let asked = Command::new("pkg-config").args(["--variable=libdir", "tally"]).output();
    if let Ok(output) = asked {
        let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if !folder.is_empty() {
            println!("cargo:rustc-link-search={}", folder);
        }
    }
}
