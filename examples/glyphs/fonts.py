"""The fonts: Debian packages, split by package, so that no design is on both sides."""

import pathlib
import sys

FOLDER = pathlib.Path("/usr/share/fonts")

# folder: files
TRAINING_FILES = {
    "truetype/adf": """AccanthisADFStd-Bold.otf AccanthisADFStd-Regular.otf AccanthisADFStdNo2-Regular.otf BaskervaldADFStd-Bold.otf
        BaskervaldADFStd.otf BerenisADFPro-Bold.otf BerenisADFPro-Regular.otf GilliusADF-Bold.otf GilliusADF-Cond.otf
        GilliusADF-Regular.otf LibrisADFStd-Bold.otf LibrisADFStd-Regular.otf MekanusADFStd-Bold.otf MekanusADFStd-Regular.otf
        RomandeADFStd-DemiBold.otf RomandeADFStd-Regular.otf SwitzeraADF-Bold.otf SwitzeraADF-Cond.otf SwitzeraADF-Ext.otf
        SwitzeraADF-Light.otf SwitzeraADF-Regular.otf TribunADFStd-Bold.otf TribunADFStd-Cond.otf TribunADFStd-Regular.otf
        UniversalisADFStd-Bold.otf UniversalisADFStd-Cond.otf UniversalisADFStd-Regular.otf""",
    "opentype/cabin": "Cabin-Bold.otf Cabin-Regular.otf",
    "opentype/cantarell": "Cantarell-Bold.otf Cantarell-Light.otf Cantarell-Regular.otf",
    "truetype/comfortaa": "Comfortaa-Bold.ttf Comfortaa-Regular.ttf",
    "truetype/crosextra": "Caladea-Bold.ttf Caladea-Regular.ttf",
    "truetype/dejavu": "DejaVuSans-Bold.ttf DejaVuSans.ttf DejaVuSansMono-Bold.ttf DejaVuSansMono.ttf DejaVuSerif-Bold.ttf DejaVuSerif.ttf",
    "opentype/dosis": "Dosis-Bold.otf Dosis-Book.otf",
    "truetype/fanwood": "Fanwood.otf",
    "opentype/sortsmill": "GoudyBookletter1911.otf",
    "truetype/inconsolata": "Inconsolata.otf",
    "opentype/junction": "Junction.otf",
    "opentype/jura": "Jura-Bold.otf Jura-Regular.otf",
    "truetype/karla": "Karla-Bold.otf Karla-Light.otf Karla-Regular.otf",
    "truetype/liberation": """LiberationMono-Bold.ttf LiberationMono-Regular.ttf LiberationSans-Bold.ttf LiberationSans-Regular.ttf
        LiberationSansNarrow-Regular.ttf LiberationSerif-Bold.ttf LiberationSerif-Regular.ttf""",
    "truetype/lindenhill": "LindenHill.otf",
    "truetype/noto": "NotoMono-Regular.ttf",
    "truetype/fonts-oldstandard": "OldStandard-Bold.ttf OldStandard-Regular.ttf",
    "opentype/play": "Play-Bold.otf Play-Regular.otf",
    "opentype/quattrocento": "Quattrocento-Regular.otf",
    "truetype/quicksand": "Quicksand-Bold.ttf Quicksand-Regular.ttf",
    "opentype/roboto/slab": "RobotoSlab-Bold.otf RobotoSlab-Light.otf RobotoSlab-Regular.otf",
    "truetype/tuffy": "Tuffy.ttf Tuffy_Bold.ttf",
    "truetype/gentium-basic": "GenBasB.ttf GenBasR.ttf GenBkBasR.ttf",
}
HELD_OUT_FILES = {
    "truetype/anonymous-pro": "Anonymous_Pro.ttf",
    "opentype/arapey": "Arapey-Regular.otf",
    "truetype/averia-gwf": "AveriaSerifGWF-Regular.ttf",
    "opentype/b612": "B612-Regular.otf B612Mono-Bold.otf",
    "truetype/cardo": "Cardo104s.ttf",
    "truetype/clear-sans": "ClearSans-Regular.ttf",
    "opentype/comic-neue": "ComicNeue-Bold.otf",
    "opentype/ebgaramond": "EBGaramond12-Regular.otf",
    "opentype/neohellenic": "GFSNeohellenic.otf",
    "fonts-go": "Go-Regular.ttf Go-Mono-Bold.ttf",
    "opentype/league-mono": "LeagueMono-Regular.otf",
    "truetype/manrope": "Manrope-Medium.ttf",
    "truetype/mononoki": "mononoki-Regular.ttf",
    "opentype/sora": "Sora-Light.otf",
}


def paths(files):
    """In a list a blank of a name is written as _, where there is such a file."""
    found = []
    for folder, names in files.items():
        for name in names.split():
            path = FOLDER / folder / name
            path = path if path.exists() else FOLDER / folder / name.replace("_", " ")
            if not path.exists():
                sys.exit(f"{path} is missing: ./dev setup train")
            found.append(str(path))
    return found


def training():
    return paths(TRAINING_FILES)


def held_out():
    return paths(HELD_OUT_FILES)
