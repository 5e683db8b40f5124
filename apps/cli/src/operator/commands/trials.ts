import { readFile } from 'node:fs/promises';
import { type CallInput, shieldTrialRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { readSources } from '../manifest/files.ts';
import { print, printJson } from '../output.ts';
import type { Scope } from '../records.ts';
import { describeExplanation, describeReport } from './describe-trials.ts';
import { collect } from './option-values.ts';
import { choosePolicies, nameDraft, type PolicyChoice } from './policy-choice.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';
import { parsePast } from './time-argument.ts';

interface TryOptions extends CommonOptions, PolicyChoice {
  readonly request?: string;
  readonly header?: string[];
  readonly body?: string;
  readonly host?: string;
  readonly sourceIp?: string;
  readonly expect?: 'allowed' | 'blocked';
}

interface ReplayOptions extends CommonOptions, PolicyChoice {
  readonly baseline?: string;
  readonly events?: boolean;
  readonly traffic?: boolean;
  readonly host?: string;
  readonly enforce?: boolean;
  readonly since?: string;
  readonly format?: string;
}

type ReplayBody = NonNullable<CallInput<typeof shieldTrialRoutes.replay>['body']>;

export function addTrialCommands(program: Command, runner: Runner): void {
  withPolicies(withJson(withProject(program.command('try'))))
    .description('the verdict of policies on a request, and why; sends nothing')
    .argument('<url>', 'https://shop.example.com/items?id=1, or a path together with --host')
    .option('-X, --request <method>', 'GET by default, POST with a body')
    .option('-H, --header <line>', '"name: value"; may be repeated', collect)
    .option('--body <text>', 'text, or @FILE for the bytes of a file')
    .option('--host <host>', 'if the address has none')
    .option('--source-ip <address>', 'source of the request')
    .option('--expect <verdict>', 'allowed or blocked: exit code 1 for the other verdict')
    .action(
      runner.action(async (url: string, options: TryOptions) =>
        tryRequest(runner, await openScope(runner.io, options), { ...options, url }).catch((error: unknown) => {
          throw nameDraft(error, options);
        }),
      ),
    );

  withPolicies(withJson(withProject(program.command('replay'))))
    .description('which verdicts a policy would change over recorded requests; exit code 10 if any')
    .argument('[file]', 'JSON lines, HAR or an Envoy access log; - for standard input')
    .option('--baseline <policy>', 'compare with this stored policy, not with the recorded answers')
    .option('--events', 'use what the filters of the project blocked and detected')
    .option('--traffic', 'use the recorded requests of the event store, at most 7 days')
    .option('--host <host>', 'with --traffic: only this host')
    .option('--enforce', 'as if every mode were block; fills the placeholders of a draft')
    .option('--since <time>', 'with --events and --traffic: such as 2h or 3d')
    .option('--format <format>', 'jsonl, har or envoy; detected by default')
    .action(
      runner.action(async (file: string | undefined, options: ReplayOptions) =>
        replay(runner, await openScope(runner.io, options), { ...options, recorded: file }).catch((error: unknown) => {
          throw nameDraft(error, options);
        }),
      ),
    );
}

function withPolicies(command: Command): Command {
  return command
    .option('--policy <name>', 'a stored policy')
    .option('--service <name>', 'all policies of a service, as its filters run them')
    .option('-f, --file <path>', 'a policy that is not stored; the files that it names are next to it');
}

async function tryRequest({ io }: Runner, scope: Scope, given: TryOptions & { url: string }): Promise<ExitCode> {
  const { url, ...options } = given;
  const { request: method, host, sourceIp, expect } = options;
  if (expect !== undefined && expect !== 'allowed' && expect !== 'blocked')
    throw new CliFailure(EXIT.usage, '--expect takes allowed or blocked');
  const body = await readBody(options.body);
  const { body: answer } = await scope.connection.call(shieldTrialRoutes.try, {
    query: { project: scope.project },
    body: {
      policies: await choosePolicies(io, scope, options),
      request: {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        url,
        headers: (options.header ?? []).map(parseHeader),
        ...(body !== undefined && { body_base64: body.toString('base64') }),
        ...(host !== undefined && { host }),
        ...(sourceIp !== undefined && { source_ip: sourceIp }),
      },
    },
  });
  if (options.json) printJson(io, answer);
  else print(io, describeExplanation(answer));
  return expect === undefined || expect === answer.verdict ? EXIT.ok : EXIT.failed;
}

/** `recorded` is the file with the requests. */
type ReplayRequest = ReplayOptions & { readonly recorded: string | undefined };

async function replay({ io }: Runner, scope: Scope, { recorded: file, ...options }: ReplayRequest): Promise<ExitCode> {
  const sources = [file !== undefined, options.events === true, options.traffic === true];
  if (sources.filter(Boolean).length !== 1)
    throw new CliFailure(EXIT.usage, 'Give one of: a file of recorded requests, --events, --traffic.');
  const from = options.since && { from: parsePast(options.since, Date.now()) };
  const host = options.host && { host: options.host };
  const records: ReplayBody['records'] =
    file === undefined
      ? options.traffic
        ? { source: 'traffic', ...from, ...host }
        : { source: 'events', ...from }
      : await readRecords(file, io.stdin, options.format);
  const { body: report } = await scope.connection.call(shieldTrialRoutes.replay, {
    query: { project: scope.project },
    body: {
      candidate: await choosePolicies(io, scope, options),
      ...(options.baseline !== undefined && { baseline: { policy: options.baseline } }),
      records,
      ...(options.enforce && { enforce: true }),
    },
  });
  if (options.json) printJson(io, report);
  else print(io, describeReport(report));
  return report.totals.flips > 0 ? EXIT.differs : EXIT.ok;
}

async function readRecords(
  file: string,
  stdin: NodeJS.ReadableStream,
  format: string | undefined,
): Promise<ReplayBody['records']> {
  const [source] = await readSources([file], stdin);
  const records = { source: 'text', text: source?.text ?? '', name: file.slice(-256), ...(format && { format }) };
  // The API validates the format.
  return records as ReplayBody['records'];
}

async function readBody(given: string | undefined): Promise<Buffer | undefined> {
  if (given === undefined) return undefined;
  if (!given.startsWith('@')) return Buffer.from(given);
  return readFile(given.slice(1)).catch((error: Error) => {
    throw new CliFailure(EXIT.usage, `${given.slice(1)}: ${error.message}`);
  });
}

function parseHeader(line: string): [string, string] {
  const colon = line.indexOf(':', 1);
  if (colon < 0) throw new CliFailure(EXIT.usage, `"${line.slice(0, 40)}" is not a header: write "name: value"`);
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}
