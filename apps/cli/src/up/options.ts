import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';

export interface UpOptions {
  readonly dataDir: string;
  /** REST API and UI. */
  readonly port: number;
  readonly grpcPort: number;
  /** The port of the demo's Envoy. */
  readonly proxyPort: number;
  readonly envoyVersion: string;
  /** Downloaded proxies; FLOTILLA_CACHE sets a folder that several data folders share. */
  readonly envoyCacheDir: string;
  readonly reset: boolean;
}

export const UP_USAGE = `Usage: flotilla up [options]

Runs a controller, an agent, a real Envoy with its filter and a demo service on this machine.

  --port PORT        REST API (8099)
  --grpc-port PORT   agents connect here (8098)
  --proxy-port PORT  the demo's Envoy listens here (10000)
  --data DIR         data folder (.flotilla)
  --envoy VERSION    Envoy version at the first start (1.40.0)
  --reset            start from scratch: delete the data folder's contents
  --help
`;

const OPTIONS = {
  port: { type: 'string', default: '8099' },
  'grpc-port': { type: 'string', default: '8098' },
  'proxy-port': { type: 'string', default: '10000' },
  data: { type: 'string' },
  envoy: { type: 'string', default: '1.40.0' },
  reset: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Returns an empty error if help was requested. */
export function parseUpOptions(argv: readonly string[], env: NodeJS.ProcessEnv): Result<UpOptions, string> {
  let values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
  try {
    values = parseArgs({ args: [...argv], options: OPTIONS, strict: true }).values;
  } catch (error) {
    return err(toErrorMessage(error));
  }
  if (values.help) return err('');
  const ports = { '--port': values.port, '--grpc-port': values['grpc-port'], '--proxy-port': values['proxy-port'] };
  for (const [flag, text] of Object.entries(ports)) {
    const port = Number(text);
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      return err(`${flag} must be a port number, not "${text}"`);
  }
  if (new Set(Object.values(ports)).size < 3) return err('--port, --grpc-port and --proxy-port must differ');
  const dataDir = resolve((values.data ?? env.SVC_DATA_DIR) || '.flotilla');
  return ok({
    dataDir,
    port: Number(values.port),
    grpcPort: Number(values['grpc-port']),
    proxyPort: Number(values['proxy-port']),
    envoyVersion: values.envoy.replace(/^v/, ''),
    envoyCacheDir: resolve(env.FLOTILLA_CACHE || dataDir, 'envoy'),
    reset: values.reset,
  });
}
