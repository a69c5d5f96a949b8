# petstore in a container. The first stage builds the executable for the platform of the image, on the platform that
# builds it; nothing of the second stage is executed, so that an image for arm64 needs no emulation.
FROM --platform=$BUILDPLATFORM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends nodejs npm ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json bun.lock bunfig.toml ./
COPY scripts/bun.sh scripts/
RUN sh -euc '. scripts/bun.sh'
COPY . .
# What petstore version prints: --build-arg PETSTORE_COMMIT=$(git rev-parse --short=12 HEAD)
ARG PETSTORE_COMMIT=""
ARG TARGETARCH
# Baseline: processors without AVX2 run it too.
RUN case "$TARGETARCH" in amd64) target=x64-baseline ;; *) target=$TARGETARCH ;; esac \
  && PETSTORE_COMMIT="$PETSTORE_COMMIT" scripts/build.sh --target="bun-linux-$target"
RUN groupadd --gid 10001 petstore && useradd --uid 10001 --gid 10001 --no-create-home petstore && mkdir /data

FROM debian:bookworm-slim
COPY --from=build /etc/passwd /etc/group /etc/
COPY --from=build --chown=10001:10001 --chmod=700 /data /data
COPY --from=build /build/dist/petstore /usr/local/bin/petstore
USER petstore
VOLUME /data
# A look-up of a name that no server answers keeps a thread, and changes need one to reach the disk: Bun has two on two
# processors.
ENV PETSTORE_DATA=/data PETSTORE_HOST=0.0.0.0 PETSTORE_PORT=8080 UV_THREADPOOL_SIZE=16
# The API and the dashboard; HTTP and HTTPS of hosting, with --http-port 8000 --https-port 8443: publish them as the
# ports 80 and 443.
EXPOSE 8080 8000 8443
# A start may take that long: it backs up a large store before its migration.
HEALTHCHECK --interval=30s --timeout=5s --start-period=15m CMD ["petstore", "health"]
ENTRYPOINT ["petstore"]
CMD ["serve"]
