import { Buffer } from 'node:buffer';
import { explainRequest, parseTrialRequest, readLogText, replayRequests } from '@flotilla/decision';
import { findPolicyWarnings, isPolicyFile, loadPolicyFiles, type PolicyFile, secretFiles } from '@flotilla/policy';
import { stringify } from 'yaml';
import { enforcePolicy } from './enforced.ts';
import type { ExplainJob, ReplayJob, TrialAnswer, TrialFile, TrialJob, TrialPolicy } from './trial-job.ts';

/** Runs a job without a time limit: for processes, which can be ended from outside. */
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

function replay({ candidate, baseline, records, trustedHops, enforce }: ReplayJob): TrialAnswer {
  const after = loadPolicyFiles(enforce ? toEnforcedFiles(candidate) : toFiles(candidate));
  if (!after.ok) return { kind: 'policy', side: 'candidate', problems: after.error };
  const before = baseline && loadPolicyFiles(toFiles(baseline));
  if (before?.ok === false) return { kind: 'policy', side: 'baseline', problems: before.error };
  const items = readLogText(records.name, records.text, records.format);
  return { kind: 'replayed', report: replayRequests(before?.value, after.value, items, { trustedHops }) };
}

/** The policies at the top of the bundle, their named files below. */
function toFiles(policies: readonly TrialPolicy[]): PolicyFile[] {
  const written = policies.map(({ name, content, files }) => {
    const text = typeof content === 'string' ? content : stringify(content, { lineWidth: 0 });
    return { path: `${name}.yaml`, content: text, data: chooseFiles(text, files) };
  });
  const data = written.flatMap((policy) => policy.data);
  return [
    ...written.map(({ path, content }) => ({ path, content })),
    // Drops files that would be parsed as further policies.
    ...data
      .filter(({ path }) => !isPolicyFile(path))
      .map(({ path, content_base64: base64 }) => ({ path, content: Buffer.from(base64, 'base64') })),
  ];
}

function toEnforcedFiles(policies: readonly TrialPolicy[]): PolicyFile[] {
  return toFiles(policies).flatMap((file) => {
    if (!isPolicyFile(file.path) || typeof file.content !== 'string') return [file];
    const enforced = enforcePolicy(file.content);
    return [{ path: file.path, content: enforced.text }, ...enforced.files];
  });
}

/** A draft must not use a stored secret as another kind of file. */
function chooseFiles(text: string, files: readonly TrialFile[]): readonly TrialFile[] {
  if (!files.some(({ wasSealed }) => wasSealed)) return files;
  const secret = new Set(secretFiles(text));
  return files.filter(({ path, wasSealed }) => !wasSealed || secret.has(path));
}
