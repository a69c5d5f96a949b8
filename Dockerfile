# petstore in a container. The first stage builds the executable with the pinned Bun. The second stage runs it without Bun,
# as a user of its own.
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends nodejs npm ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json bun.lock bunfig.toml ./
COPY scripts/bun.sh scripts/
RUN sh -euc '. scripts/bun.sh'
COPY . .
RUN scripts/build.sh

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends curl && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 10001 petstore \
  && useradd --uid 10001 --gid 10001 --no-create-home petstore \
  && install -d -o petstore -g petstore -m 0700 /data
COPY --from=build /build/dist/petstore /usr/local/bin/petstore
USER petstore
VOLUME /data
ENV PETSTORE_DATA=/data PETSTORE_HOST=0.0.0.0 PETSTORE_PORT=8080
# The API; HTTP and HTTPS of hosting, with --http-port 8000 --https-port 8443.
EXPOSE 8080 8000 8443
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s \
  CMD curl --fail --silent --show-error "http://127.0.0.1:$PETSTORE_PORT/readyz"
ENTRYPOINT ["petstore"]
CMD ["serve"]
