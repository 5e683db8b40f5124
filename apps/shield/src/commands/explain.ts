import { readFile } from 'node:fs/promises';
import { explainRequest, isTrialTarget, parseTrialRequest } from '@flotilla/decision';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { parseHeaderLine } from '../admin/trial-from-query.ts';
import { parseFlags, parseTrustedHops, pick } from '../flags.ts';
import { locateProblems } from '../locate-problems.ts';
import { renderExplanation } from './explain-text.ts';
import { openPolicies } from './open-policies.ts';
import { EXIT_FAILED, EXIT_OK, type ShieldIo } from './shield-io.ts';
import { refuseUsage } from './usage.ts';

const URL_EXAMPLE = 'write https://api.example.com/v1, or /v1 with --host api.example.com';

/** `flotilla shield explain`: explains what a policy would do with a request. Exit code 0 for any verdict. */
export async function runExplain(args: readonly string[], io: ShieldIo): Promise<number> {
  const flags = parseFlags(args, {
    policy: { type: 'string' },
    method: { type: 'string' },
    url: { type: 'string' },
    host: { type: 'string' },
    header: { type: 'string', short: 'H', multiple: true },
    body: { type: 'string' },
    'source-ip': { type: 'string' },
    peer: { type: 'string' },
    'xff-trusted-hops': { type: 'string' },
    json: { type: 'boolean' },
  });
  if (!flags.ok) return refuseUsage(io, flags.error);
  const { values, positionals } = flags.value;
  if (positionals.length > 0) return refuseUsage(io, `unexpected argument ${JSON.stringify(positionals[0])}`);
  const { policy, url } = values;
  if (typeof policy !== 'string') return refuseUsage(io, 'explain needs --policy');
  if (typeof url !== 'string') return refuseUsage(io, 'explain needs --url');
  if (!isTrialTarget(url)) return refuseUsage(io, `--url needs a scheme or a leading slash: ${URL_EXAMPLE}`);
  const hops = parseTrustedHops(pick('xff-trusted-hops', textOf(values['xff-trusted-hops']), undefined));
  if (!hops.ok) return refuseUsage(io, hops.error);
  const headers = listOf(values.header).map(parseHeaderLine);
  if (headers.includes(undefined)) return refuseUsage(io, '-H takes "name: value"');
  const body = await readBody(textOf(values.body));
  if (!body.ok) {
    io.stderr.write(`flotilla shield: ${body.error}\n`);
    return EXIT_FAILED;
  }
  const given = { method: values.method, host: values.host, source_ip: values['source-ip'], peer: values.peer };
  const trial = parseTrialRequest({
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    url,
    headers,
    trusted_hops: hops.value,
    ...body.value,
  });
  if (!trial.ok) return refuseUsage(io, trial.error);
  const opened = await openPolicies(policy);
  if (!opened.ok) {
    io.stderr.write(`${(await locateProblems(policy, opened.error)).join('\n')}\n`);
    return EXIT_FAILED;
  }
  const explanation = explainRequest(opened.value.loaded, trial.value);
  const isJson = values.json === true;
  io.stdout.write(isJson ? `${JSON.stringify(explanation, null, 2)}\n` : renderExplanation(explanation));
  return EXIT_OK;
}

type Body = { readonly body: string } | { readonly body_base64: string } | Record<string, never>;

/** `@FILE` or the text itself. */
async function readBody(text: string | undefined): Promise<Result<Body, string>> {
  if (text === undefined) return ok({});
  if (!text.startsWith('@')) return ok({ body: text });
  try {
    return ok({ body_base64: (await readFile(text.slice(1))).toString('base64') });
  } catch (error) {
    return err(`the body cannot be read: ${toErrorMessage(error)}`);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
