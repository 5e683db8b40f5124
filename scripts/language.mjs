// Refuses words and sentence shapes that docs/guides/language.md bans, in comments, texts, test titles and documents.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './setup.mjs';

/** Each with what to write in its place. */
const WORDS = [
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bt(ake|akes|aken|aking|ook) away\b/i, 'delete or remove'],
  [/\btold\b/i, 'reported or given'],
  [/\bwho(m)?ever\b/i, 'anyone who'],
  [/\banew\b/i, 'again'],
  [/(?<!file )\bof before\b(?!\.|\))/i, 'previous'],
  [/(?<!there )\b(is|are|was|were) none\b/i, 'does not exist, or there is no ...'],
  [/\bby the clock\b/i, 'on a schedule'],
];

/** A sentence that begins like this has no subject, unless it is a question. */
const HEADLESS = /(?:^|[.:] )(Of|Who|Whom|Whose|What|Which) [^.?]*(?:[.;]|$)/;

const SOURCES = /\.(ts|tsx|mjs|md)$/;
/** Generated code, and inputs that tests quote. */
const EXEMPT = [/\/gen\//, /\/fixtures?\//, /^scripts\/language\.mjs$/, /^docs\/guides\/language\.md$/];

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => SOURCES.test(file) && !EXEMPT.some((pattern) => pattern.test(file)));

const problems = files.flatMap((file) => {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  const isMarkdown = file.endsWith('.md');
  return lines.flatMap((line, index) => {
    const comment = isMarkdown ? undefined : commentOf(line);
    const at = `${file}:${index + 1}`;
    const words = WORDS.flatMap(([pattern, instead]) => {
      const found = pattern.exec(line);
      return found ? [`${at}: "${found[0]}": write ${instead}`] : [];
    });
    const headless = comment !== undefined && !continues(lines, index) ? HEADLESS.exec(comment) : null;
    return headless ? [...words, `${at}: "${headless[1]} ..." has no subject: ${headless[0].trim()}`] : words;
  });
});

const only = process.argv.slice(2);
const shown = problems.filter((problem) => only.length === 0 || only.some((path) => problem.startsWith(path)));
for (const problem of shown) console.log(problem);
console.log(`${shown.length} problems of language`);
process.exitCode = shown.length === 0 ? 0 : 1;

/** Returns the text of a comment on this line, without its signs. */
function commentOf(line) {
  const found = /^\s*(?:\/\*\*?|\*(?!\/)|\/\/)\s?(.*?)(?:\*\/)?\s*$/.exec(line) ?? / \/\/ (.*)$/.exec(line);
  return found?.[1];
}

/** Whether the sentence on this line began on an earlier one. */
function continues(lines, index) {
  const before = lines[index - 1];
  const comment = before === undefined ? undefined : commentOf(before);
  return comment !== undefined && comment.trim() !== '' && !/[.:?!]\)?$/.test(comment.trim());
}
