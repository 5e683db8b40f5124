import { listHeaderSources } from './engines/api-key.ts';
import { isRecord } from './engines/engine-spec.ts';
import type { EngineName } from './engines/index.ts';
import { foldHeaderName } from './header-names.ts';
import type { Complaint, FieldPath } from './problem.ts';

/** A header that a block names, folded (`foldHeaderName`), and the field that names it. */
interface NamedHeader {
  readonly name: string;
  readonly path: FieldPath;
}

/** How a block uses headers; engines that use none are omitted. */
interface HeaderUse {
  readonly engine: EngineName;
  /** The header with the subject; a client's header with this name is removed. */
  readonly subject: NamedHeader | undefined;
  /** Headers that are read as the client sent them. */
  readonly read: readonly NamedHeader[];
  /** False for a block that a route inherits from the domain. */
  readonly isOwn: boolean;
}

/**
 * Checks the engines that apply to the same requests, including inherited ones: each must use its own subject header,
 * and none may read a subject header of another. Engines read what the client sent, so a limiter keyed by such a header
 * would count forged values.
 */
export function checkSubjectHeaders(domain: Readonly<Record<string, unknown>>, path: FieldPath): Complaint[] {
  const routes: readonly unknown[] = Array.isArray(domain.routes) ? domain.routes : [];
  if (!tellsSubject(domain) && !routes.some(tellsSubject)) return [];
  const ofDomain = readUses(domain.policy, path);
  return [
    ...findClashes(ofDomain),
    ...routes.flatMap((route, index): Complaint[] => {
      if (!isRecord(route)) return [];
      const own = readUses(route.policy, [...path, 'routes', index]);
      const written = enginesOf(route.policy);
      const inherited = ofDomain.filter(({ engine }) => written[engine] === undefined);
      return findClashes([...own, ...inherited.map((use) => ({ ...use, isOwn: false }))]);
    }),
  ];
}

/** Whether a domain or route sets a subject header: without one there can be no conflict. */
function tellsSubject(holder: unknown): boolean {
  const { api_key: apiKey, jwt } = enginesOf(isRecord(holder) ? holder.policy : undefined);
  return [apiKey, jwt].some((block) => isRecord(block) && block.subject_header !== undefined);
}

/** Conflicts among the domain's own blocks are reported for the domain. */
function findClashes(uses: readonly HeaderUse[]): Complaint[] {
  const complaints: Complaint[] = [];
  for (const [index, setter] of uses.entries()) {
    const { subject } = setter;
    if (subject === undefined) continue;
    for (const [at, other] of uses.entries()) {
      if (other === setter || !(setter.isOwn || other.isOwn)) continue;
      if (at > index && other.subject?.name === subject.name) {
        const [later, more] = other.isOwn ? [other.subject, setter] : [subject, other];
        const message = `is the header in which ${more.engine} sends the subject of the same requests: one value would hide the other`;
        complaints.push({ path: later.path, rule: 'engine.subject_header', message });
      }
      const reader = other.read.find(({ name }) => name === subject.name);
      if (!reader) continue;
      complaints.push(
        other.isOwn
          ? {
              path: reader.path,
              rule: 'engine.subject_header',
              message: `is the header in which ${setter.engine} sends the subject; ${other.engine} would read the value that the client sends`,
            }
          : {
              path: subject.path,
              rule: 'engine.subject_header',
              message: `is a header that ${other.engine} reads from the same requests`,
            },
      );
    }
  }
  return complaints;
}

function readUses(policy: unknown, holder: FieldPath): HeaderUse[] {
  const engines = enginesOf(policy);
  const place = (engine: EngineName, ...field: FieldPath) => [...holder, 'policy', 'engines', engine, ...field];
  const { api_key: apiKey, jwt, rate_limit: limit } = engines;
  const uses: HeaderUse[] = [];
  const subjectOf = (engine: EngineName, { subject_header: name }: Readonly<Record<string, unknown>>) =>
    toHeader(name, place(engine, 'subject_header'));
  if (isRecord(apiKey)) {
    const read = listHeaderSources(apiKey).map(({ name, path }) => ({
      name: foldHeaderName(name),
      path: place('api_key', ...path),
    }));
    uses.push({ engine: 'api_key', subject: subjectOf('api_key', apiKey), read, isOwn: true });
  }
  if (isRecord(jwt)) {
    const header = toHeader(jwt.header_name ?? 'Authorization', place('jwt', 'header_name'));
    uses.push({ engine: 'jwt', subject: subjectOf('jwt', jwt), read: header ? [header] : [], isOwn: true });
  }
  if (isRecord(limit) && limit.key === 'header') {
    const header = toHeader(limit.header, place('rate_limit', 'header'));
    uses.push({ engine: 'rate_limit', subject: undefined, read: header ? [header] : [], isOwn: true });
  }
  return uses;
}

function enginesOf(policy: unknown): Readonly<Record<string, unknown>> {
  return isRecord(policy) && isRecord(policy.engines) ? policy.engines : {};
}

function toHeader(name: unknown, path: FieldPath): NamedHeader | undefined {
  return typeof name === 'string' && name !== '' ? { name: foldHeaderName(name), path } : undefined;
}
