# Tally in Debian slim, from packages that ./dev release has written into release/:
#   ./dev release && docker build -t tally . && docker run --rm tally info
FROM debian:bookworm-slim
ARG TARGETARCH=amd64
COPY release/*_${TARGETARCH}.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/*
ENTRYPOINT ["tally"]
