import { CERTIFICATE_STATES } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { Gauge, type Registry } from 'prom-client';
import { type ProjectCertificates, readProjectCertificates } from './certificate-views.ts';

export interface CertificateMetricsDeps {
  readonly db: Db;
  readonly metrics: Registry;
  /** Of the authority that vouches for clients. */
  readonly authorityEndsAt: Date;
  readonly now: () => Date;
  /** So many projects are told of at most: those whose first certificate ended, or ends, before the others'. */
  readonly projectsMax?: number;
}

const PROJECTS_MAX = 1000;
/** Whoever asks more often hears what was read before: certificates end by the day. */
const READ_EVERY_MS = 60_000;

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Gauges of when certificates end. Projects go by their ids: whoever may read metrics has signed in nowhere. While the database
 * is away, those of projects have no samples.
 */
export function measureCertificates(deps: CertificateMetricsDeps): void {
  const { metrics, authorityEndsAt } = deps;
  const read = createReader(deps);
  const gauge = (name: string, help: string, toSamples: (projects: readonly ProjectCertificates[]) => Sample[]) =>
    new Gauge({
      name: `flotilla_${name}`,
      help,
      labelNames: ['project', 'state'],
      registers: [metrics],
      async collect() {
        // A database that is away must not take all other numbers with it.
        const projects = await read().catch(() => []);
        this.reset();
        for (const { labels, value } of toSamples(projects)) this.set(labels, value);
      },
    });
  gauge('certificates', 'Documents that hold certificates, by whether the first has ended or ends soon', (projects) =>
    projects.flatMap((one) =>
      CERTIFICATE_STATES.map((state) => ({ labels: { project: one.project_id, state }, value: one[state] })),
    ),
  );
  gauge('certificates_next_end_timestamp_seconds', 'When the next certificate of a project ends', (projects) =>
    projects.flatMap(({ project_id: project, next_ends_at: end }) =>
      end === null ? [] : [{ labels: { project }, value: end.getTime() / 1000 }],
    ),
  );
  new Gauge({
    name: 'flotilla_certificate_projects',
    help: 'Projects whose documents hold certificates; the gauges by project leave out those that end last of too many',
    registers: [metrics],
    async collect() {
      const [first] = await read().catch(() => []);
      this.set(first?.projects ?? 0);
    },
  });
  new Gauge({
    name: 'flotilla_authority_end_timestamp_seconds',
    help: 'When the authority that vouches for clients ends',
    registers: [metrics],
  }).set(authorityEndsAt.getTime() / 1000);
}

/** Reads once for all gauges of a scrape, and for those of other scrapes within the same time. */
function createReader({ db, now, projectsMax = PROJECTS_MAX }: CertificateMetricsDeps) {
  let known: Promise<ProjectCertificates[]> | undefined;
  let readAt = 0;
  return async (): Promise<ProjectCertificates[]> => {
    const at = now();
    if (known === undefined || at.getTime() - readAt >= READ_EVERY_MS) {
      readAt = at.getTime();
      const asked = readProjectCertificates(db, at, projectsMax);
      known = asked;
      // What failed is asked again at once.
      asked.catch(() => {
        if (known === asked) known = undefined;
      });
    }
    return known;
  };
}
