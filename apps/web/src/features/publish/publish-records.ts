import type { Change, PublishResult } from '@flotilla/contract';
import { call, routes } from '../../api/index.ts';
import {
  applyChanges,
  beforeNothing,
  beforeRevision,
  type RecordChange,
  type TextChange,
} from '../../changes/index.ts';
import { texts } from './texts.tsx';

type Outcome = 'created' | 'changed' | 'unchanged' | 'deleted';

/** One document, or the service. */
export interface PublishRecord {
  readonly name: string;
  readonly outcome: Outcome;
  readonly change: RecordChange;
}

type Content = Readonly<Record<string, unknown>>;

interface Written {
  readonly name: string;
  readonly outcome: Outcome;
  /** The revision that it will have. */
  readonly revision: number;
  readonly diff: readonly Change[];
  /** The member that the text shows; undefined: the whole record. */
  readonly member?: string;
  readonly read: (revision: number) => Promise<Content>;
}

/** Returns the records that publishing writes, with the text of each before and after. */
export async function readRecords(plan: PublishResult, project: string): Promise<readonly PublishRecord[]> {
  const { service, version } = plan;
  const documents = plan.documents.map(({ collection, name, outcome, revision, diff = [] }): Written => {
    const read = async (before: number) => {
      const params = { collection, name, revision: before };
      const { body } = await call(routes.xds.getRevision, { params, query: { project, version } });
      const { type, description, labels, resource } = body;
      return { type, description, labels, resource };
    };
    return { name: `${collection}/${name}`, outcome, revision: revision ?? 1, diff, member: 'resource', read };
  });
  const readService = async (revision: number) => {
    const input = { params: { service_id: service.id ?? '', revision }, query: { project } };
    return (await call(routes.service.revision, input)).body.document;
  };
  const name = `${texts.review.service} ${service.name}`;
  return Promise.all([...documents, { ...service, name, read: readService }].map(toRecord));
}

async function toRecord(written: Written): Promise<PublishRecord> {
  const { name, outcome, diff } = written;
  const isWritten = outcome === 'created' || outcome === 'changed';
  return { name, outcome, change: { diff, text: isWritten ? await toText(written) : undefined } };
}

/** Returns nothing if the text is unknown, for example because the record was deleted after the dry run. */
async function toText({ outcome, revision, diff, member, read }: Written): Promise<TextChange | undefined> {
  const isNew = outcome === 'created';
  try {
    // The revision that the dry run compared with, even if there is a newer one by now.
    const before = isNew ? undefined : await read(revision - 1);
    // Comments are not part of the text.
    const after = applyChanges(before, diff, ['comments']);
    if (!isContent(after)) return undefined;
    const toYaml = await loadWriter();
    const write = (content: Content) => toYaml(member === undefined ? content : content[member]);
    return {
      before: before ? write(before) : '',
      after: write(after),
      language: 'yaml',
      beforeLabel: isNew ? beforeNothing : beforeRevision(revision - 1),
      ...(member !== undefined && { members: [member] }),
    };
  } catch {
    return undefined;
  }
}

/** The YAML library is loaded with the first review. */
async function loadWriter(): Promise<(value: unknown) => string> {
  const { stringify } = await import('yaml');
  return (value) => stringify(value, { indent: 2, lineWidth: 0, aliasDuplicateObjects: false });
}

function isContent(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
