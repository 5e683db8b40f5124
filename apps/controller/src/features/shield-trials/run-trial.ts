import { Buffer } from 'node:buffer';
import { explainRequest, parseTrialRequest, readLogText, replayRequests } from '@flotilla/decision';
import { findPolicyWarnings, isPolicyFile, loadPolicyFiles, type PolicyFile } from '@flotilla/policy';
import { stringify } from 'yaml';
import type { ExplainJob, ReplayJob, TrialAnswer, TrialJob, TrialPolicy } from './trial-job.ts';

/** Does what a job asks for. Takes as long as it takes: for threads, which can be ended from outside. */
export function runTrial(job: TrialJob): TrialAnswer {
  switch (job.kind) {
    case 'explain':
      return explain(job);
    case 'replay':
      return replay(job);
  }
}

function explain({ policies, request }: ExplainJob): TrialAnswer {
  const parsed = parseTrialRequest(request);
  if (!parsed.ok) return { kind: 'request', path: 'request', reason: parsed.error };
  const files = toFiles(policies);
  const loaded = loadPolicyFiles(files);
  if (!loaded.ok) return { kind: 'policy', side: 'candidate', problems: loaded.error };
  return {
    kind: 'explained',
    explanation: explainRequest(loaded.value, parsed.value),
    warnings: findPolicyWarnings(files),
  };
}

function replay({ candidate, baseline, records, trustedHops }: ReplayJob): TrialAnswer {
  const after = loadPolicyFiles(toFiles(candidate));
  if (!after.ok) return { kind: 'policy', side: 'candidate', problems: after.error };
  const before = baseline && loadPolicyFiles(toFiles(baseline));
  if (before?.ok === false) return { kind: 'policy', side: 'baseline', problems: before.error };
  const items = readLogText(records.name, records.text, records.format);
  return { kind: 'replayed', report: replayRequests(before?.value, after.value, items, { trustedHops }) };
}

/** The policies at the top of the bundle, the files they name below. */
function toFiles(policies: readonly TrialPolicy[]): PolicyFile[] {
  const data = policies.flatMap(({ files }) => files);
  return [
    ...policies.map(({ name, content }) => ({
      path: `${name}.yaml`,
      content: typeof content === 'string' ? content : stringify(content, { lineWidth: 0 }),
    })),
    // One that would be read as a policy is none of those that are tried.
    ...data
      .filter(({ path }) => !isPolicyFile(path))
      .map(({ path, content_base64: base64 }) => ({ path, content: Buffer.from(base64, 'base64') })),
  ];
}
