import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { ensureTestEnvoy } from '@flotilla/testkit';

export interface EnvoyOptions {
  readonly version: string;
  readonly dir: string;
  readonly nodeId: string;
  readonly xdsSocket: string;
  readonly logLevel?: string;
}

export interface EnvoyProcess {
  readonly adminSocket: string;
  readonly log: () => string;
  admin(path: string): Promise<string>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
}

let started = 0;

export async function startEnvoy(options: EnvoyOptions): Promise<EnvoyProcess> {
  const { path } = await ensureTestEnvoy(options.version);
  started += 1;
  const adminSocket = join(options.dir, `admin-${started}.sock`);
  const config = join(options.dir, `bootstrap-${started}.json`);
  await writeFile(config, JSON.stringify(createBootstrap(options, adminSocket)));
  const args = ['-c', config, '-l', options.logLevel ?? 'warning', '--disable-hot-restart', '--concurrency', '1'];
  const child = spawn(path, [...args, '--drain-time-s', '2'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log = (log + chunk).slice(-2_000_000);
  });
  return { adminSocket, log: () => log, admin: (url) => getOverSocket(adminSocket, url), kill: () => kill(child) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function createBootstrap({ nodeId, xdsSocket }: EnvoyOptions, adminSocket: string) {
  const ads = { ads: {}, resource_api_version: 'V3' };
  const grpc = [{ envoy_grpc: { cluster_name: 'xds' } }];
  return {
    node: { id: nodeId, cluster: 'test' },
    admin: { address: { pipe: { path: adminSocket } } },
    dynamic_resources: {
      ads_config: { api_type: 'DELTA_GRPC', transport_api_version: 'V3', grpc_services: grpc },
      cds_config: ads,
      lds_config: ads,
    },
    static_resources: {
      clusters: [
        {
          name: 'xds',
          type: 'STATIC',
          typed_extension_protocol_options: {
            'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
              '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
              explicit_http_config: { http2_protocol_options: {} },
            },
          },
          load_assignment: {
            cluster_name: 'xds',
            endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: xdsSocket } } } }] }],
          },
        },
      ],
    },
  };
}

export function getOverSocket(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve(body));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
