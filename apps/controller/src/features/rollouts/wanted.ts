import { createHash } from 'node:crypto';
import type { NodePreview } from '../snapshots/index.ts';
import type { Wanted } from './model.ts';

/** What a node must run for a document to be live there; undefined: nothing that the node is sent holds any of it. */
export function wantedOfDocument(
  { translation, snapshot }: NodePreview,
  key: string,
  changedAt: Date,
): Wanted | undefined {
  const versions = versionsOf(snapshot);
  const resources = translation.resources
    .filter(({ document, parts }) => document === key || parts.includes(key))
    .map(({ type, typeUrl, name }) => ({ type, name, version: versions.get(`${typeUrl} ${name}`) ?? '' }));
  const isInBootstrap = translation.bootstrapParts.includes(key);
  const problem = isInBootstrap
    ? findProblem(translation.errors, (document) => document.startsWith('bootstrap/'))
    : resources.length === 0
      ? findProblem(translation.errors, (document) => document === key)
      : undefined;
  if (resources.length === 0 && !isInBootstrap && problem === undefined) return undefined;
  const bootstrapDigest = isInBootstrap && problem === undefined ? digestBootstrap(translation.bootstrap) : undefined;
  return { resources, isComplete: false, bootstrapDigest, policyDigest: undefined, problem, changedAt };
}

/** What a node must run for a service to be live there: all of it. */
export function wantedOfService(
  { translation, snapshot }: NodePreview,
  { policyDigest, changedAt }: { policyDigest: string | undefined; changedAt: Date },
): Wanted {
  const versions = versionsOf(snapshot);
  const resources = translation.resources.map(({ type, typeUrl, name }) => ({
    type,
    name,
    version: versions.get(`${typeUrl} ${name}`) ?? '',
  }));
  const problem = findProblem(translation.errors, (document) => document.startsWith('bootstrap/'));
  const bootstrapDigest = problem === undefined ? digestBootstrap(translation.bootstrap) : undefined;
  return { resources, isComplete: true, bootstrapDigest, policyDigest, problem, changedAt };
}

function versionsOf(snapshot: NodePreview['snapshot']): Map<string, string> {
  return new Map([...snapshot.resources.values()].map((one) => [`${one.typeUrl} ${one.name}`, one.version]));
}

function findProblem(
  errors: NodePreview['translation']['errors'],
  isMeant: (document: string) => boolean,
): string | undefined {
  const error = errors.find(({ document }) => isMeant(document));
  return error && `${error.document}${error.path ? ` at ${error.path}` : ''}: ${error.message}`;
}

/** As agents report it: the digest of the digest of the bytes that they were sent. */
export function digestBootstrap(bootstrap: object): string {
  const inner = createHash('sha256').update(JSON.stringify(bootstrap)).digest();
  return createHash('sha256').update(inner).digest('hex');
}
