import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { isInterfaceName } from '@flotilla/proto/commands';
import { parseDocument, stringify, visit } from 'yaml';
import type { Link, Problem } from './types.ts';

/** Where netplan defines an interface: `ethernets`, `lan`. */
export interface Definition {
  readonly section: string;
  readonly id: string;
}

type Json = Readonly<Record<string, unknown>>;

const HEAD = '# Written by Flotilla. Change it with its command NETWORK.\n';
const SECTIONS = ['ethernets', 'bonds', 'bridges', 'vlans'];
const DEPTH_MAX = 16;
/** These have commands of their own. */
const ROUTING = new Set(['routes', 'routing-policy', 'gateway4', 'gateway6']);
/** Other programs, or secrets: every member of the project may read the document. */
const REFUSED = new Set([
  'openvswitch',
  'networkmanager',
  'auth',
  'password',
  'key',
  'keys',
  'access-points',
  'modems',
  'wifis',
]);
const COMMON_KEYS = new Set(['version', 'renderer', ...SECTIONS]);

/**
 * Checks a document for the managed file, and writes it again in plain YAML, so that netplan and this check cannot read it in
 * two ways.
 */
export function checkDocument(text: string): Result<string, Problem> {
  const document = parseDocument(text, { uniqueKeys: true, merge: false, version: '1.2', logLevel: 'error' });
  const [error] = document.errors;
  if (error) return refuse(error.message.split('\n')[0] ?? 'is not YAML');
  let problem: string | undefined;
  visit(document, {
    Alias: () => {
      problem ??= 'must have no aliases';
      return visit.BREAK;
    },
    Node: (_, node) => {
      if (node.tag !== undefined) problem ??= 'must have no tags';
    },
  });
  if (problem !== undefined) return refuse(problem);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 });
  } catch (thrown) {
    return refuse(toErrorMessage(thrown));
  }
  const found = findProblem(value, [], 0) ?? findShapeProblem(value);
  return found === undefined ? ok(`${HEAD}${stringify(value)}`) : refuse(found);
}

function refuse(message: string) {
  return err({ code: 'network.yaml', message: `netplan_config.yaml_content: ${message}` });
}

function findProblem(value: unknown, path: readonly string[], depth: number): string | undefined {
  const at = path.join('.');
  if (depth > DEPTH_MAX) return `${at} is nested too deeply`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (typeof value === 'string' && /[\u0000-\u001f\u007f]/.test(value)) return `${at} must have no control characters`;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (!Array.isArray(value)) {
      if (ROUTING.has(key))
        return `${[...path, key].join('.')} must not be here; use SUB_ROUTE_MANAGE or SUB_POLICY_MANAGE`;
      if (REFUSED.has(key)) return `${[...path, key].join('.')} is not allowed here`;
      if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(key)) return `${at} has a key with characters that are not allowed`;
    }
    const problem = findProblem(item, [...path, key], depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findShapeProblem(value: unknown): string | undefined {
  const network = toObject(toObject(value).network);
  if (Object.keys(toObject(value)).join() !== 'network') return 'must have the one key network';
  if (network.version !== 2) return 'network.version must be 2';
  const key = Object.keys(network).find((one) => !COMMON_KEYS.has(one));
  if (key !== undefined) return `network.${key} is not one of ${[...COMMON_KEYS].join(', ')}`;
  if (network.renderer !== undefined && network.renderer !== 'networkd') return 'network.renderer must be networkd';
  for (const section of SECTIONS) {
    for (const [id, definition] of Object.entries(toObject(network[section]))) {
      if (!isInterfaceName(id)) return `network.${section} has an id that is not the name of an interface`;
      if (toObject(definition).renderer !== undefined) return `network.${section}.${id}.renderer must not be given`;
    }
  }
  return undefined;
}

/** Names of the interfaces of a document. */
export function listInterfaces(text: string | undefined): string[] {
  if (text === undefined) return [];
  const network = toObject(toObject(parseDocument(text, { logLevel: 'silent' }).toJS()).network);
  return SECTIONS.flatMap((section) =>
    Object.entries(toObject(network[section])).map(
      ([id, definition]) => readText(toObject(definition)['set-name']) ?? id,
    ),
  );
}

/** Finds where the files of netplan define an interface. Undefined if none does, so netplan does not configure it. */
export function findDefinition(documents: readonly string[], link: Pick<Link, 'name' | 'mac'>): Definition | undefined {
  for (const text of documents) {
    const network = toObject(toObject(parseDocument(text, { logLevel: 'silent' }).toJS()).network);
    for (const [section, definitions] of Object.entries(network)) {
      for (const [id, content] of Object.entries(toObject(definitions))) {
        if (isDefinitionOf(id, toObject(content), link)) return { section, id };
      }
    }
  }
  return undefined;
}

function isDefinitionOf(id: string, content: Json, { name, mac }: Pick<Link, 'name' | 'mac'>): boolean {
  const match = toObject(content.match);
  if (content['set-name'] !== undefined) return content['set-name'] === name;
  if (content.match === undefined) return id === name;
  return match.name === name || readText(match.macaddress)?.toLowerCase() === mac.toLowerCase();
}

function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
