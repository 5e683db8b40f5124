// Serves a filter on one of the compared wires, with engines or without any decision.
// node bench/src/shield/serve-variant.ts wire|http2|grpc-js PORT|SOCKET bare|POLICY.json
import { readFile } from 'node:fs/promises';
import { buildRuntime } from '@flotilla/decision';
import { createGrpcServer, type OpenCall } from '@flotilla/grpc-wire';
import { loadPolicyFiles } from '@flotilla/policy';
import { answerHeaders } from '../../../apps/shield/src/exchange/answers.ts';
import { ExchangeServer } from '../../../apps/shield/src/exchange/exchange.ts';
import { mergeHotCode } from '../../../apps/shield/src/inlining.ts';
import { SILENT_LISTENER } from '../../../apps/shield/src/testing/silent-listener.ts';
import { serveGrpcJs } from './grpc-js-variant.ts';
import { serveHttp2 } from './http2-variant.ts';

const [variant = 'wire', port = '0', policy = 'bare'] = process.argv.slice(2);
const NOT_INSPECTED = { isInspected: false, detectedBy: undefined };
const nothing = (): void => undefined;
// As the filter does.
mergeHotCode();

async function chooseService(): Promise<OpenCall> {
  if (policy === 'bare') {
    const answer = answerHeaders([], false, { target: '/', findNames: () => [] }, NOT_INSPECTED);
    return (call) => ({ onMessage: () => call.finish(answer), onHalfClose: nothing, onAbort: nothing });
  }
  const loaded = loadPolicyFiles([{ path: 'policy.json', content: await readFile(policy) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error[0]));
  const runtime = buildRuntime(loaded.value, { nowMs: Date.now() });
  const exchanges = new ExchangeServer({ trustedHops: 0, listener: SILENT_LISTENER, currentRuntime: () => runtime });
  return (call) => exchanges.open(call);
}

const open = await chooseService();
if (variant === 'http2') await serveHttp2(Number(port), open);
else if (variant === 'grpc-js') await serveGrpcJs(Number(port), open);
else {
  const path = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';
  const address = port.startsWith('/')
    ? ({ kind: 'unix', path: port } as const)
    : ({ kind: 'tcp', host: '127.0.0.1', port: Number(port) } as const);
  await createGrpcServer({ path, open }).listen(address);
}
console.log('serving');
process.on('SIGTERM', () => process.exit(0));
