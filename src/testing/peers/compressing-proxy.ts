/** nginx and Apache as proxies that compress what they forward, and change its entity tags. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPeer, freePort, peerDirectory, startPeer } from './peer.ts'

interface ProxyAddresses {
  readonly directory: string
  readonly port: number
  /** The address that it forwards to. */
  readonly to: string
}

export interface CompressingProxy {
  /** The path of the program; undefined if it is missing. */
  readonly program: string | undefined
  readonly args: readonly string[]
  readonly config: (addresses: ProxyAddresses) => string
}

export const compressingProxies: Readonly<Record<'nginx' | 'Apache', CompressingProxy>> = {
  nginx: {
    program: findPeer('nginx'),
    args: ['-g', 'daemon off; master_process off;', '-c'],
    config: ({ directory, port, to }) => `
      pid ${directory}/pid;
      error_log stderr;
      events {}
      http {
        access_log off;
        client_body_temp_path ${directory}/body;
        proxy_temp_path ${directory}/proxy;
        fastcgi_temp_path ${directory}/fastcgi;
        uwsgi_temp_path ${directory}/uwsgi;
        scgi_temp_path ${directory}/scgi;
        gzip on;
        gzip_proxied any;
        gzip_min_length 0;
        gzip_types application/json;
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass ${to};
            proxy_set_header Host $http_host;
            # The service would compress the OpenAPI document itself.
            proxy_set_header Accept-Encoding "";
          }
        }
      }`,
  },
  Apache: {
    program: findPeer('apache2'),
    args: ['-D', 'FOREGROUND', '-f'],
    config: ({ directory, port, to }) => `
      ServerName 127.0.0.1
      Listen 127.0.0.1:${port}
      PidFile ${directory}/pid
      DefaultRuntimeDir ${directory}
      ErrorLog ${directory}/error.log
      ${['mpm_event', 'authz_core', 'filter', 'deflate', 'proxy', 'proxy_http']
        .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
        .join('\n')}
      <IfModule !unixd_module>
        LoadModule unixd_module /usr/lib/apache2/modules/mod_unixd.so
      </IfModule>
      SetOutputFilter DEFLATE
      ProxyPreserveHost On
      ProxyPass / ${to}/`,
  },
}

/** Starts a proxy on this machine that forwards to the address `to`. */
export async function startCompressingProxy({ program = '', args, config }: CompressingProxy, to: string) {
  const { path: directory, remove } = peerDirectory('proxy')
  const port = await freePort('127.0.0.1')
  const url = `http://127.0.0.1:${port}`
  const file = join(directory, 'proxy.conf')
  writeFileSync(file, config({ directory, port, to }))
  const isReady = async () => (await fetch(`${url}/healthz`)).ok
  const peer = await startPeer({ command: [program, ...args, file], isReady })
  return {
    url,
    async stop(): Promise<void> {
      await peer.stop()
      remove()
    },
  }
}
