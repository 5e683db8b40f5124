import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeFields, type RouteContract } from '@flotilla/contract';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../cli.ts';
import * as entries from '../commands/index.ts';
import { complete } from '../completion/complete.ts';
import { createTestTerminal, type TestTerminal } from '../testing/terminal.ts';
import { findMember, type Input } from './inputs.ts';
import type { Noun } from './noun.ts';
import { sourceOf } from './sources.ts';
import type { Verb } from './verb.ts';

const ID = '01900000-0000-7000-8000-000000000000';

interface Row {
  readonly path: string;
  readonly verb: Verb;
}

function listVerbs(name: string, entry: Noun | Verb): Row[] {
  if (!('verbs' in entry)) return [{ path: name, verb: entry }];
  const own = entry.self ? [{ path: name, verb: entry.self }] : [];
  return [...own, ...Object.entries(entry.verbs).flatMap(([verb, one]) => listVerbs(`${name} ${verb}`, one))];
}

const rows = Object.entries<Noun | Verb>(entries).flatMap(([name, entry]) => listVerbs(name, entry));
const routed = rows.flatMap(({ path, verb }) => (verb.route ? [{ path, verb, route: verb.route }] : []));
const plain = routed.filter(({ verb }) => !verb.isOwn);

const io = {
  env: {},
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: new AbortController().signal,
  command: [],
};
const program = createProgram(io, () => undefined);

let server: Server;
let terminal: TestTerminal;
const seen: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(`${request.method} ${new URL(request.url ?? '', 'http://x').pathname}`);
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 'record.not_found', message: 'no', request_id: 'r' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  terminal = await createTestTerminal({ SVC_URL: url, SVC_TOKEN: 'flt_x', SVC_PROJECT: ID });
});
afterAll(async () => {
  await terminal.close();
  server.close();
});

function findCommand(path: string): Command | undefined {
  return path
    .split(' ')
    .reduce<Command | undefined>((above, word) => above?.commands.find((one) => one.name() === word), program);
}

describe.each(routed)('flotilla $path', ({ path, verb, route }) => {
  it('sets only fields of its route', () => {
    const set = verb.inputs.flatMap(({ to }) => to ?? []);
    expect(set.filter((member) => !findMember(route, member))).toEqual([]);
  });

  it('offers the values that its route accepts', async () => {
    for (const { flags, to } of verb.inputs) {
      const values = findMember(route, to)?.field.values;
      const option = /--\S+/.exec(flags)?.[0];
      if (!values || !option || !flags.includes('<')) continue;
      expect(await complete(program, io, [...path.split(' '), option, ''])).toEqual(values);
    }
  });
});

describe.each(plain)('flotilla $path', ({ path, verb, route }) => {
  it(`sends ${route.method} ${route.path}`, async () => {
    seen.length = 0;
    await terminal.run([...path.split(' '), ...exampleOf(verb, route)], { stdin: 'x' });
    expect(seen.at(-1)).toMatch(toPattern(route));
  });

  it('sets all fields that its route requires', () => {
    const set = new Set(verb.inputs.map(({ to }) => to));
    const required = [route.params, route.query, route.body].flatMap((schema) =>
      [...describeFields(schema)].filter(([, field]) => field.isRequired).map(([name]) => name),
    );
    const own = new Set(['project', 'project_id']);
    expect(required.filter((name) => !set.has(name) && !own.has(name))).toEqual([]);
  });
});

it.each(rows)('flotilla $path completes the names of its records', ({ path, verb }) => {
  const command = findCommand(path);
  expect(command).toBeDefined();
  for (const [i, input] of verb.inputs.filter(({ flags }) => !flags.startsWith('-')).entries()) {
    const argument = command?.registeredArguments[i];
    if (input.lookup) expect(argument && sourceOf(argument)).toBe(input.lookup.source);
  }
});

/** Returns valid arguments of the command: its arguments, its required options and, for a change, one changed field. */
function exampleOf({ inputs, isChange }: Verb, route: RouteContract): string[] {
  const changed =
    isChange && inputs.find(({ flags, to }) => flags.startsWith('-') && findMember(route, to)?.part === 'body');
  return inputs.flatMap((input) => {
    const { flags, isRequired } = input;
    if (flags.startsWith('<')) return [sampleOf(input, route)];
    if (flags.startsWith('[') || (!isRequired && input !== changed)) return [];
    const [option = ''] = /--\S+/.exec(flags) ?? [];
    return flags.includes('<') ? [option, sampleOf(input, route)] : [option];
  });
}

function sampleOf({ to, lookup, choices, read }: Input, route: RouteContract): string {
  if (lookup) return ID;
  return choices?.[0] ?? findMember(route, to)?.field.values?.[0] ?? (read ? '1h' : 'x');
}

function toPattern({ method, path }: RouteContract): RegExp {
  return new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`);
}
