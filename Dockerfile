# Dragoman in a container, for `compose.yaml` or by itself:
#   docker build --tag dragoman . && docker run --publish 8080:8080 --volume dragoman:/data dragoman
FROM node:22-bookworm-slim

WORKDIR /dragoman
ENV MODELS_DIR=/dragoman/models
# In a layer of their own: sources change more often.
COPY package.json package-lock.json .npmrc ./
COPY server/setup server/setup
RUN node server/setup/prepare.mjs packages && npm cache clean --force && rm -rf /var/lib/apt/lists/*
# The build, and the small English model.
COPY . .
RUN node server/setup/prepare.mjs && npm cache clean --force

RUN mkdir /data && chown node:node /data
USER node
# Set up already, and nothing may be written beside the data.
ENV DRAGOMAN_SETUP=off DATA_DIR=/data HOST=0.0.0.0 PORT=8080
VOLUME /data
EXPOSE 8080
# Its name is not the one in the certificate.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "--no-warnings", "-e", "const { env } = process; env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch((env.TLS_CERT_FILE ? 'https' : 'http') + '://127.0.0.1:' + (env.PORT || 8080) + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The process itself, so that it hears when it is to stop.
CMD ["node", "server/setup/start.mjs"]
