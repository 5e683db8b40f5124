// Measures lists, searches, look-ups, reference checks and admin screens in a large project that restricts access, as
// complete requests without a network: `node bench/src/permissions.ts [THINGS] [SUBJECTS] [ROUNDS]`.
import type { TestCaller } from '@flotilla/controller/testing/controller';
import { createTestFleet, TEST_VERSION } from '@flotilla/controller/testing/fleet';
import { fillRestrictedProject } from '@flotilla/controller/testing/large-project';
import { median } from './table.ts';

const [things = 100_000, subjects = 1000, rounds = 20] = process.argv.slice(2).map(Number);
const PAGE = 50;

const t = await createTestFleet();
const admin = await t.createMember('admin');
const [few, many] = [await t.createMember('editor'), await t.createMember('editor')];
const begun = performance.now();
await fillRestrictedProject(t.database, {
  project: t.project,
  things,
  subjects,
  given: [
    { userId: few.userId, things: Math.min(100, things) },
    { userId: many.userId, things: things / 2 },
  ],
});
console.log(`${things} things and ${subjects} subjects in ${((performance.now() - begun) / 1000).toFixed(0)} s`);

const project = `project=${t.project}`;
const list = `/api/v3/xds/clusters?${project}&version=${TEST_VERSION}&limit=${PAGE}`;
const one = (name: string) => `/api/v3/xds/clusters/${name}?${project}&version=${TEST_VERSION}`;
const route = {
  name: 'bench',
  version: TEST_VERSION,
  resource: {
    virtual_hosts: [
      { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'cluster-7' } }] },
    ],
  },
};

async function ask(by: TestCaller, url: string, { method = 'GET', body, expected = 200 }: Asked = {}) {
  const answer = await by.call(method, url, body);
  if (answer.status !== expected) throw new Error(`${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly expected?: number;
}

type Question = readonly [what: string, url: string, asked?: Asked];

const { next_cursor: cursor } = await ask(few, list);
const forMembers: readonly Question[] = [
  ['first page', list],
  ...(cursor === null ? [] : [['next page', `${list}&cursor=${cursor}`] as const]),
  ['list, part of a name', `${list}&q=ter-7`],
  ['list, nothing like it', `${list}&q=nowhere`],
  ['counts', `/api/v3/custom/count/all?${project}&version=${TEST_VERSION}`],
  ['search, frequent', `/api/v3/search?${project}&q=cluster`],
  ['search, rare', `/api/v3/search?${project}&q=cluster-99`],
  ['one thing', one('cluster-7')],
  ['one that is hidden', one(`cluster-${things}`), { expected: 404 }],
  [
    'new reference',
    `/api/v3/xds/routes?${project}&dry_run=true`,
    { method: 'POST', body: { ...route, project: t.project } },
  ],
];
const subject = few.userId;
const forAdmins: readonly Question[] = [
  ['matrix, first page', `/api/v3/setting/resources?${project}&kind=document&limit=${PAGE}`],
  ['matrix, part of a name', `/api/v3/setting/resources?${project}&kind=document&limit=${PAGE}&q=ter-7`],
  ['subjects, part of a name', `/api/v3/setting/permission-subjects?${project}&limit=${PAGE}&q=99`],
  ['all that is given to one', `/api/v3/setting/permissions?${project}&user_id=${subject}&limit=${PAGE}`],
  ['selection of one', `/api/v3/setting/permissions/users/clusters/${subject}?${project}`],
];

interface Row {
  readonly asks: string;
  readonly 'p50 (ms)': number;
  readonly 'longest (ms)': number;
}

async function measure(by: TestCaller, who: string, questions: readonly Question[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, url, asked] of questions) {
    const took: number[] = [];
    for (let i = 0; i < rounds; i += 1) {
      const began = performance.now();
      await ask(by, url, asked);
      took.push(performance.now() - began);
    }
    rows.push({ asks: `${who}: ${what}`, 'p50 (ms)': round(median(took)), 'longest (ms)': round(Math.max(...took)) });
  }
  return rows;
}

const round = (ms: number) => Math.round(ms * 10) / 10;

const rows = [
  ...(await measure(few, 'given 100', forMembers)),
  ...(await measure(many, `given ${things / 2}`, forMembers)),
  ...(await measure(admin, 'admin', [...forMembers.filter(([what]) => what !== 'one that is hidden'), ...forAdmins])),
];
console.table(rows);
await t.close();
