# Tally in Debian slim, from packages that ./dev package has written into packages/:
#   ./dev package packages && docker build -t tally . && docker run --rm tally info
FROM debian:bookworm-slim
COPY packages/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/*
ENTRYPOINT ["tally"]
