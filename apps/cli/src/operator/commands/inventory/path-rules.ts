import { type InventoryRewrite, type PathRenaming, type PathRulesPreview, pathRuleRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../../exit-codes.ts';
import type { Noun } from '../../nouns/noun.ts';
import { act, list, send } from '../../nouns/verb.ts';
import { age, type Columns, renderTable } from '../../output.ts';
import { DRY_RUN } from '../inputs.ts';

const RENAMINGS: Columns<PathRenaming> = {
  change: 'kind',
  method: 'method',
  host: 'host',
  path: 'normalized_path',
  to: ({ to }) => to.join(' '),
  calls: 'seen_count',
};

const REWRITES: Columns<InventoryRewrite> = {
  job: ({ job }) => String(job.number),
  started: age('started_at'),
  state: ({ ended_at, applies }) => `${ended_at === null ? 'not ended' : 'ended'}${applies ? '' : ', changed nothing'}`,
  operations: 'scanned',
  moved: 'moved',
  merged: 'merged',
  split: 'split',
};

export const PATH_RULE_COMMANDS: Noun = {
  help: 'rules that replace segments of paths by placeholders',
  place: 'project',
  verbs: {
    preview: act(
      {
        help: 'what rules would change, without saving them; exit code 1 if a rule cannot be used',
        route: pathRuleRoutes.preview,
        inputs: [{ flags: '<rule...>', help: "PLACEHOLDER=PATTERN, such as 'id=ord-[a-z]{3}'" }],
      },
      async ({ scope: { connection, project }, values }) => {
        const rules = (values.rule as readonly string[]).map(parseRule);
        const { body } = await connection.call(pathRuleRoutes.preview, { query: { project }, body: { rules } });
        return { json: body, text: describe(body), exit: body.problems.length > 0 ? EXIT.failed : EXIT.ok };
      },
    ),
  },
};

export const REWRITE_COMMANDS: Noun = {
  help: 'runs of the job that names stored operations again',
  place: 'project',
  verbs: {
    list: list(pathRuleRoutes.rewrites, { columns: REWRITES }),
    start: send(pathRuleRoutes.rewrite, {
      inputs: [
        { flags: '--plan', help: 'the job changes nothing and reports what it would do', to: 'apply', value: false },
        DRY_RUN,
      ],
      text: ({ job }) => `Job ${job.number} started. Follow it with: flotilla jobs watch ${job.number}`,
    }),
  },
};

function parseRule(text: string) {
  const equals = text.indexOf('=');
  if (equals < 1)
    throw new CliFailure(EXIT.usage, `"${text}" is no rule. Write PLACEHOLDER=PATTERN, such as 'id=ord-[a-z]{3}'.`);
  return { placeholder: text.slice(0, equals), regex: text.slice(equals + 1) };
}

function describe(preview: PathRulesPreview): string {
  const { problems, scanned, truncated, moves, merges, unforeseen, renamings, matches } = preview;
  if (problems.length > 0)
    return problems.map(({ index, message }) => `Rule ${index + 1} cannot be used: ${message}.`).join('\n');
  return [
    `${moves} of ${scanned} operations would get another name, ${merges} of them would become part of another one.`,
    ...(truncated ? ['Operations with fewer requests were not looked at.'] : []),
    ...(unforeseen > 0
      ? [
          `${unforeseen} have placeholders, whose values are not stored. A rule may divide these operations, which cannot be foreseen.`,
        ]
      : []),
    ...matches.map(
      ({ index, count, segments }) => `Rule ${index + 1} matches ${count} segments: ${segments.join(' ')}`,
    ),
    ...(renamings.length > 0 ? ['', renderTable(RENAMINGS, renamings)] : []),
  ].join('\n');
}
