# A static binary that runs without root.
FROM rust:1.95-alpine AS build
# A C compiler for `ring`; everything is linked into the binary.
RUN apk add --no-cache gcc musl-dev
WORKDIR /src
COPY . .
RUN cargo build --release --locked --bin ordain && cp target/release/ordain /ordain
# Folders for the user of the image, who may make none in an empty one.
RUN mkdir -p /home/work /home/tmp

FROM scratch
COPY --from=build /ordain /ordain
COPY LICENSE /LICENSE
COPY --from=build --chown=65532:65532 /home/work /work
COPY --from=build --chown=65532:65532 /home/tmp /tmp
# Somebody without rights anywhere else.
USER 65532:65532
WORKDIR /work
ENV HOME=/work
ENTRYPOINT ["/ordain"]
CMD ["--help"]
