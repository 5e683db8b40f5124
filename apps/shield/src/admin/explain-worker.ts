import {
  type BundleHead,
  explainRequest,
  parseTrialRequest,
  type TrialRequest,
  unpackPolicies,
} from '@flotilla/decision';
import { err, type Result, serveOwner } from '@flotilla/kit';
import type { LoadedPolicies } from '@flotilla/policy';
import type { ExplainedTrial, FromExplainWorker, RawTrial, ToExplainWorker } from './explain-messages.ts';
import { parseTrialQuery } from './trial-from-query.ts';

// Entry of the process that `explain-process.ts` starts. Its exceptions are sent to the owner.
let head: BundleHead = { digest: '', policyNames: [], domainCount: 0 };
let pieces: Uint8Array[] = [];
let loaded: LoadedPolicies = unpackPolicies(head, pieces);

serveOwner(handle);

function handle(message: ToExplainWorker): FromExplainWorker | undefined {
  switch (message.kind) {
    case 'bundle':
      head = message.head;
      pieces = [];
      return undefined;
    case 'piece':
      pieces.push(message.piece);
      return undefined;
    case 'complete':
      loaded = unpackPolicies(head, pieces);
      pieces = [];
      return { kind: 'ready' };
    case 'explain':
      return explain(message.trial, message.trustedHops);
  }
}

function explain(raw: RawTrial, trustedHops: number): ExplainedTrial {
  const trial = parseTrial(raw);
  if (!trial.ok) return { kind: 'refused', error: trial.error };
  const explanation = explainRequest(loaded, { trusted_hops: trustedHops, ...trial.value });
  return { kind: 'explained', json: JSON.stringify(explanation, null, 2) };
}

function parseTrial(raw: RawTrial): Result<TrialRequest, string> {
  if (raw.kind === 'query') return parseTrialQuery(new URLSearchParams(raw.query));
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(raw.bytes).toString('utf8'));
  } catch {
    // The parser's message would quote the text.
    return err('the body is not JSON');
  }
  return parseTrialRequest(value);
}
