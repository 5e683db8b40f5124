import { createHash } from 'node:crypto';
import { preventsDelivery } from '@flotilla/translate';
import type { NodePreview } from '../snapshots/index.ts';
import type { DesiredContent } from './model.ts';

/** The content that a node must run for a document to be live there; undefined: no resource of the node contains it. */
export function contentOfDocument(
  { translation, snapshot }: NodePreview,
  key: string,
  changedAt: Date,
): DesiredContent | undefined {
  const versions = versionsOf(snapshot);
  const resources = translation.resources
    .filter(({ document, parts }) => document === key || parts.includes(key))
    .map(({ type, typeUrl, name }) => ({ type, name, version: versions.get(`${typeUrl} ${name}`) ?? '' }));
  const isInBootstrap = translation.bootstrapParts.includes(key);
  const problem = isInBootstrap
    ? findProblem(translation.errors, isOfBootstrap)
    : resources.length === 0
      ? findProblem(translation.errors, ({ document }) => document === key)
      : undefined;
  if (resources.length === 0 && !isInBootstrap && problem === undefined) return undefined;
  const bootstrapDigest = isInBootstrap && problem === undefined ? digestBootstrap(translation.bootstrap) : undefined;
  return { resources, isComplete: false, bootstrapDigest, policyDigest: undefined, problem, changedAt };
}

/** The content that a node must run for a service to be live there: everything. */
export function contentOfService(
  { translation, snapshot }: NodePreview,
  { policyDigest, changedAt }: { policyDigest: string | undefined; changedAt: Date },
): DesiredContent {
  const versions = versionsOf(snapshot);
  const resources = translation.resources.map(({ type, typeUrl, name }) => ({
    type,
    name,
    version: versions.get(`${typeUrl} ${name}`) ?? '',
  }));
  const ofBootstrap = findProblem(translation.errors, isOfBootstrap);
  const isHeld = translation.withheld.length > 0;
  // Content that cannot be generated never arrives, even if the rest runs.
  const problem = ofBootstrap ?? findProblem(translation.errors, preventsDelivery);
  const bootstrapDigest = ofBootstrap === undefined ? digestBootstrap(translation.bootstrap) : undefined;
  return { resources, isComplete: !isHeld, bootstrapDigest, policyDigest, problem, changedAt };
}

function versionsOf(snapshot: NodePreview['snapshot']): Map<string, string> {
  return new Map([...snapshot.resources.values()].map((one) => [`${one.typeUrl} ${one.name}`, one.version]));
}

type TranslationError = NodePreview['translation']['errors'][number];

function isOfBootstrap(error: TranslationError): boolean {
  return error.document.startsWith('bootstrap/') && preventsDelivery(error);
}

function findProblem(
  errors: readonly TranslationError[],
  isMeant: (error: TranslationError) => boolean,
): string | undefined {
  const error = errors.find(isMeant);
  return error && `${error.document}${error.path ? ` at ${error.path}` : ''}: ${error.message}`;
}

/** As agents report it: the digest of the digest of the sent bytes. */
export function digestBootstrap(bootstrap: object): string {
  const inner = createHash('sha256').update(JSON.stringify(bootstrap)).digest();
  return createHash('sha256').update(inner).digest('hex');
}
