import type { documentPlanSchema } from '@flotilla/contract';
import { beforeNothing, beforeRevision, type ChangePlan, type TextChange } from '../../changes/index.ts';
import { yamlOf } from './comments/lazy.ts';
import { type ResourceDraft, toDraft } from './draft-model.ts';

/** Answer to the dry run of a write. */
export type PlannedWrite = (typeof documentPlanSchema)['_output'];

/** The stored document before the change. */
interface Before {
  readonly draft: ResourceDraft;
  readonly revision: number;
}

/** YAML of longer documents takes seconds. */
const YAML_MAX = 200_000;

/** Returns what the review of a document shows. `view`: the view in which the user edits; the form has no language, so YAML is shown. */
export async function toReviewPlan(
  { document, diff, nodes, services }: PlannedWrite,
  before: Before | undefined,
  view: string | undefined,
): Promise<ChangePlan> {
  const text = document ? await toTextChange(toDraft(document), before, view) : undefined;
  return { change: { diff, text }, reach: { nodes, services }, warnings: document?.warnings ?? [] };
}

async function toTextChange(
  after: ResourceDraft,
  before: Before | undefined,
  view: string | undefined,
): Promise<TextChange> {
  const beforeLabel = before ? beforeRevision(before.revision) : beforeNothing;
  const json = { before: before ? toJson(before.draft) : '', after: toJson(after) };
  if (view === 'json' || json.before.length + json.after.length > YAML_MAX)
    return { ...json, language: 'json', beforeLabel, members: ['resource'] };
  return {
    before: before ? await yamlOf(before.draft) : '',
    after: await yamlOf(after),
    language: 'yaml',
    beforeLabel,
    members: ['resource', 'comments'],
  };
}

function toJson({ resource }: ResourceDraft): string {
  return `${JSON.stringify(resource, null, 2)}\n`;
}
