import type { Change, PublishResult } from '@flotilla/contract';
import { call, routes } from '../../api/index.ts';
import { applyChanges, beforeNothing, beforeRevision, type RecordChange } from '../../changes/index.ts';
import { texts } from './texts.tsx';

type Outcome = 'created' | 'changed' | 'unchanged' | 'deleted';

/** One document, or the service. */
export interface PublishRecord {
  readonly name: string;
  readonly outcome: Outcome;
  readonly change: RecordChange;
}

interface Stored {
  readonly revision: number;
  readonly content: Readonly<Record<string, unknown>>;
}

interface Written {
  readonly name: string;
  readonly outcome: Outcome;
  readonly diff: readonly Change[];
  /** The member that the text shows; undefined: the whole record. */
  readonly member?: string;
  readonly read: () => Promise<Stored>;
}

/** Returns the records that publishing writes, with the text of each before and after. */
export async function readRecords(plan: PublishResult, project: string): Promise<readonly PublishRecord[]> {
  const { service, version } = plan;
  const documents = plan.documents.map(({ collection, name, outcome, diff = [] }): Written => {
    const read = async () => {
      const { body } = await call(routes.xds.get, { params: { collection, name }, query: { project, version } });
      const { type, description, labels, resource, revision } = body;
      return { revision, content: { type, description, labels, resource } };
    };
    return { name: `${collection}/${name}`, outcome, diff, member: 'resource', read };
  });
  const readService = async () => {
    const input = { params: { service_id: service.id ?? '' }, query: { project } };
    const { body } = await call(routes.service.read, input);
    const { name, version, bootstrap, listeners, policies, shield, clients, revision } = body;
    return { revision, content: { name, version, bootstrap, listeners, policies, shield, clients } };
  };
  const name = `${texts.review.service} ${service.name}`;
  return Promise.all([...documents, { ...service, name, read: readService }].map(toRecord));
}

async function toRecord({ name, outcome, diff, member, read }: Written): Promise<PublishRecord> {
  const isNew = outcome === 'created';
  if (!isNew && outcome !== 'changed') return { name, outcome, change: { diff } };
  const stored = isNew ? undefined : await read();
  const before = stored?.content;
  // Comments are not part of the text.
  const after = applyChanges(
    before,
    diff.filter(({ path }) => !path.startsWith('comments')),
  );
  if (!isRecord(after)) return { name, outcome, change: { diff } };
  const toText = await loadWriter();
  const write = (record: Readonly<Record<string, unknown>> | undefined) =>
    record === undefined ? '' : toText(member === undefined ? record : record[member]);
  const text = {
    before: write(before),
    after: write(after),
    language: 'yaml' as const,
    beforeLabel: stored ? beforeRevision(stored.revision) : beforeNothing,
    ...(member !== undefined && { members: [member] }),
  };
  return { name, outcome, change: { diff, text } };
}

/** The YAML library is loaded with the first review. */
async function loadWriter(): Promise<(value: unknown) => string> {
  const { stringify } = await import('yaml');
  return (value) => stringify(value, { indent: 2, lineWidth: 0, aliasDuplicateObjects: false });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
