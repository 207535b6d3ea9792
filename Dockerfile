# A static binary that runs without root.
FROM rust:1.95-alpine AS build
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY . .
RUN cargo build --release --locked -p ordain-cli && cp target/release/ordain /ordain

FROM scratch
COPY --from=build /ordain /ordain
COPY LICENSE /LICENSE
# Somebody without rights anywhere.
USER 65532:65532
WORKDIR /work
ENV HOME=/work
ENTRYPOINT ["/ordain"]
CMD ["--help"]
