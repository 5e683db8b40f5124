import type { ReactNode } from 'react';

export const structure = {
  engineWords: {
    describeEngine: {
      itemThereNo: 'There is no such engine.',
    },
    describeApiKey: {
      text: (part: string | number) => ` and ${part} more`,
      textNeedsKnown: (places: string | number) => `Needs a known key in the ${places}.`,
      textBelowNeed: (textOf: string | number, textOf2: string | number) =>
        `${textOf} and what is below it need the scope ${textOf2}.`,
      textPathsBegin: (textOf: string | number, textOf2: string | number) =>
        `Paths that begin with ${textOf} need the scope ${textOf2}.`,
    },
    describeSource: {
      textQueryParameter: 'query parameter',
    },
    describeExtras: {
      text: (what: string | number) => `The upstream does not see the ${what}.`,
      textUpstreamTold: (header: string | number) => `The upstream is told the subject in ${header}.`,
    },
    describeJwt: {
      text: (textOf: string | number, algorithms: string | number, file: string | number) =>
        `Needs a token in the header ${textOf}, signed with ${algorithms}, verified by ${file}.`,
      textNoFile: 'no file yet',
      textIssued: (issuer: string | number) => `Issued by ${issuer}.`,
      textMeant: (audience: string | number) => `Meant for ${audience}.`,
      textClaims: (names: string | number) => `With the claims ${names}.`,
    },
    graphqlLimits: {
      itemRootFields: 'root fields',
    },
    describeGraphql: {
      textQueriesAny: 'Queries of any shape.',
      text: (names: string | number) => `Queries of at most ${names}.`,
      itemNoIntrospection: 'No introspection.',
      textBelowAlone: (names: string | number) => `Below ${names} alone.`,
    },
    describeRateLimit: {
      text: (textOf: string | number) => `value of the header ${textOf}`,
      textClientAddress: 'client address',
      textPerSecond: (part: string | number, part2: string | number, by: string | number, count: string | number) =>
        `${part} ${part2} per second for each ${by}, up to ${count} at once.`,
      itemDividedEvenly: 'Divided evenly over all proxies that hold the policy.',
    },
  },
  structureTab: {
    structureTab: {
      title: 'This is your draft, not what is stored.',
      titleTextCannot: 'The text cannot be read',
      lineLink: (line: ReactNode) => <>Line {line}</>,
      text: 'Below is the structure as it was before.',
    },
    tree: {
      lineLink: 'Defaults',
      textEngineFails: 'an engine that fails inside lets the request go on (fail_open).',
      textEngineFailsInsideBlocks: 'an engine that fails inside blocks the request (fail_close).',
      title: 'It covers no host',
      empty: 'Every request is allowed. Add a domain with its hosts to the text.',
      ariaLabel: 'Domains',
      textNoHost: 'no host',
      textEveryOther: 'every other path',
      textEveryPath: 'every path',
      text: 'Requests to hosts that no domain covers are allowed. The longest path prefix wins; all methods are meant.',
    },
    engines: {
      text: 'allowed: no engine looks at it',
      textSwitchedOff: 'switched off here',
      textFromDomain: 'from the domain. ',
    },
    mode: {
      word: 'Blocks',
      why: 'What fails is answered with 403 or 429',
      wordDetects: 'Detects',
      whyWouldBe: 'What would be blocked is counted and let through',
      text: (stateShape: ReactNode, bdi: ReactNode) => (
        <>
          {stateShape} unknown mode {bdi}
        </>
      ),
    },
    modeWords: {
      textBlocksFails: 'blocks what fails',
      textCountsFails: 'counts what fails and lets it through (detect)',
      text: (mode: string | number) => `mode ${mode}`,
    },
    lineLink: {
      title: (line: string | number) => `Line ${line} of the text`,
    },
  },
  structure: {
    message: 'This is no policy document.',
  },
};
