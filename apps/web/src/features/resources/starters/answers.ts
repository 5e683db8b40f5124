import type { StarterQuestionRecord, StarterRecord } from '@flotilla/contract';
import {
  createEndpoint,
  getAt,
  isIpAddress,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseAddressLines,
  parseDomains,
  parsePath,
  setAt,
} from '../../../forms/index.ts';
import { rename } from '../draft-model.ts';

export type Starter = StarterRecord;
export type Question = StarterQuestionRecord;
type Kind = Question['kind'];

/** Kinds whose example is a usual answer. All others are examples only. */
const PROPOSED: ReadonlySet<Kind> = new Set(['port', 'http_path', 'file', 'count']);

/** Returns the example in the document, as a user would type it. */
export function exampleOf(starter: Starter, { kind, paths }: Question): string {
  if (kind === 'name') return starter.name;
  const [path = ''] = paths;
  return toText(kind, getAt(starter.resource as JsonObject, parsePath(path)));
}

/** Returns the answers that the form starts with, one for each question. */
export function proposeAnswers(starter: Starter): string[] {
  return starter.questions.map((question) => {
    const example = exampleOf(starter, question);
    // The name of a virtual host contains its host name.
    const isUsual = question.kind === 'name' ? !example.includes('/') : PROPOSED.has(question.kind) || example === '*';
    return isUsual ? example : '';
  });
}

/** Returns the answers without surrounding spaces, and with those that follow from others. */
export function completeAnswers(starter: Starter, typed: readonly string[]): string[] {
  const host = firstHostName(starter, typed);
  return starter.questions.map(({ kind }, index) => {
    const answer = typed[index]?.trim() ?? '';
    return kind === 'server_name' && answer === '' ? (host ?? '') : answer;
  });
}

/** Returns the first host name among the addresses. */
export function firstHostName({ questions }: Starter, typed: readonly string[]): string | undefined {
  const index = questions.findIndex(({ kind }) => kind === 'addresses');
  return parseAddressLines(typed[index] ?? '').find(({ host }) => host !== '' && !isIpAddress(host))?.host;
}

/** Writes the answers, which must be valid, into the starter's document. */
export function fillStarter(starter: Starter, typed: readonly string[]): { name: string; resource: JsonObject } {
  const answers = completeAnswers(starter, typed);
  let resource: Json = starter.resource as JsonObject;
  for (const [index, { kind, paths }] of starter.questions.entries()) {
    for (const path of paths.map(parsePath))
      resource = setAt(resource, path, toValue(kind, answers[index] ?? '', getAt(resource, path)));
  }
  const name = answers[starter.questions.findIndex(({ kind }) => kind === 'name')] || starter.name;
  return { name, resource: rename(isObject(resource) ? resource : {}, starter.collection, name) };
}

function toText(kind: Kind, value: Json | undefined): string {
  if (kind === 'addresses' || kind === 'ip_addresses') return listOf(value).map(toAddressText).join('\n');
  if (kind === 'domains') return listOf(value).join(', ');
  return isObject(value) || isList(value) ? '' : String(value ?? '');
}

function toAddressText(endpoint: Json): string {
  const socket = getAt(endpoint, ['endpoint', 'address', 'socket_address']);
  const [host, port] = ['address', 'port_value'].map((field) => String(getAt(socket, [field]) ?? ''));
  return `${host}:${port}`;
}

function toValue(kind: Kind, answer: string, example: Json | undefined): Json {
  switch (kind) {
    case 'addresses':
    case 'ip_addresses':
      return parseAddressLines(answer).map(createEndpoint);
    case 'domains':
      return parseDomains(answer);
    case 'port':
      return Number(answer);
    case 'count':
      return typeof example === 'string' ? answer : Number(answer);
    case 'certificate_pem':
    case 'private_key_pem':
      return { inline_string: `${answer}\n` };
    default:
      return answer;
  }
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}
