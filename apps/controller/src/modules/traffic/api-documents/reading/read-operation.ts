import type { OperationFacts, ParameterFacts } from '../model/document.ts';
import { isRecord, memberOf, resolveReference } from './references.ts';
import { cleanText } from './texts.ts';
import type { Warnings } from './warnings.ts';

const PARAMETERS_MAX = 200;
const NAME_MAX = 256;
const MEDIA_MAX = 50;
const STATUS = /^(?:[1-5](?:\d\d|XX)|default)$/i;
const PLACES = ['query', 'header', 'cookie', 'path'] as const;

export interface OperationSource {
  readonly root: unknown;
  readonly item: Readonly<Record<string, unknown>>;
  readonly operation: Readonly<Record<string, unknown>>;
  readonly field: string;
  readonly isSwagger: boolean;
  readonly warnings: Warnings;
}

export function readOperation(source: OperationSource): OperationFacts {
  const { root, operation, isSwagger } = source;
  const given = listParameters(source);
  const parameters = new Map<string, ParameterFacts>();
  let openQuery = given.isIncomplete;
  for (const parameter of given.parameters) {
    const facts = toParameter(parameter, isSwagger);
    if (facts !== undefined) parameters.set(`${facts.in} ${facts.name}`, facts);
    openQuery ||= isFreeForm(root, parameter);
  }
  const statuses = listStatuses(source);
  return {
    operationId: cleanText(memberOf(operation, 'operationId'), NAME_MAX),
    deprecated: memberOf(operation, 'deprecated') === true,
    parameters: [...parameters.values()],
    openQuery,
    body: isSwagger ? readSwaggerBody(root, operation, given.parameters) : readBody(source),
    statuses,
    openStatuses: statuses.length === 0,
    secured: isSecured(memberOf(operation, 'security') ?? memberOf(root, 'security')),
  };
}

/** Parameters of the path come first, so that those of the operation replace them. */
function listParameters({ root, item, operation, field, warnings }: OperationSource) {
  const listed = [memberOf(item, 'parameters'), memberOf(operation, 'parameters')].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  let isIncomplete = listed.length > PARAMETERS_MAX;
  const parameters: Readonly<Record<string, unknown>>[] = [];
  for (const given of listed.slice(0, PARAMETERS_MAX)) {
    const resolved = resolveReference(root, given);
    if (resolved.kind === 'value') parameters.push(resolved.value);
    else {
      isIncomplete = true;
      warnings.add(`${field}.parameters`, `${resolved.reference} ${resolved.why}.`);
    }
  }
  return { parameters, isIncomplete };
}

function toParameter(parameter: Readonly<Record<string, unknown>>, isSwagger: boolean): ParameterFacts | undefined {
  const place = PLACES.find((name) => name === memberOf(parameter, 'in'));
  const name = cleanText(memberOf(parameter, 'name'), NAME_MAX);
  if (place === undefined || name === '') return undefined;
  const type = memberOf(isSwagger ? parameter : memberOf(parameter, 'schema'), 'type');
  return {
    in: place,
    name,
    required: memberOf(parameter, 'required') === true,
    type: cleanText(
      Array.isArray(type)
        ? type
            .filter((one) => typeof one === 'string')
            .toSorted()
            .join('|')
        : type,
      64,
    ),
  };
}

/** The members of an object are parameters of their own, with any name (OpenAPI 3, style `form` with `explode`). */
function isFreeForm(root: unknown, parameter: Readonly<Record<string, unknown>>): boolean {
  if (memberOf(parameter, 'in') !== 'query' || memberOf(parameter, 'explode') === false) return false;
  if (!['form', undefined].includes(memberOf(parameter, 'style') as string | undefined)) return false;
  const schema = resolveReference(root, memberOf(parameter, 'schema'));
  return schema.kind === 'unknown' || memberOf(schema.value, 'type') === 'object';
}

function readBody({ root, operation, field, warnings }: OperationSource): OperationFacts['body'] {
  const given = memberOf(operation, 'requestBody');
  if (!isRecord(given)) return null;
  const resolved = resolveReference(root, given);
  if (resolved.kind === 'unknown') {
    warnings.add(`${field}.requestBody`, `${resolved.reference} ${resolved.why}.`);
    return { required: false, media: [] };
  }
  const content = memberOf(resolved.value, 'content');
  return { required: memberOf(resolved.value, 'required') === true, media: listMedia(keysOf(content)) };
}

function readSwaggerBody(
  root: unknown,
  operation: unknown,
  parameters: readonly Readonly<Record<string, unknown>>[],
): OperationFacts['body'] {
  const parts = parameters.filter((one) => ['body', 'formData'].includes(String(memberOf(one, 'in'))));
  if (parts.length === 0) return null;
  const consumes = memberOf(operation, 'consumes') ?? memberOf(root, 'consumes');
  return {
    required: parts.some((one) => memberOf(one, 'required') === true),
    media: listMedia(Array.isArray(consumes) ? consumes : []),
  };
}

function listMedia(names: readonly unknown[]): string[] {
  return names
    .slice(0, MEDIA_MAX)
    .map((name) => cleanText(name, NAME_MAX).toLowerCase())
    .filter((name) => name !== '');
}

function listStatuses({ operation }: OperationSource): string[] {
  return keysOf(memberOf(operation, 'responses'))
    .filter((code) => STATUS.test(code))
    .map((code) => (code.length === 3 ? code.toUpperCase() : 'default'));
}

function isSecured(security: unknown): boolean {
  if (!Array.isArray(security) || security.length === 0) return false;
  return security.every((alternative) => keysOf(alternative).length > 0);
}

export function keysOf(value: unknown): string[] {
  return isRecord(value) ? Object.keys(value) : [];
}
