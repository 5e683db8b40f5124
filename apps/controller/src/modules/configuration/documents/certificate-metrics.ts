import { CERTIFICATE_STATES } from '@flotilla/contract';
import { Gauge } from 'prom-client';
import { readForScrapes } from '../../../platform/database/metrics.ts';
import type { MetricDeps } from '../../../platform/features/index.ts';
import { type ProjectCertificates, readProjectCertificates } from './certificate-views.ts';

interface CertificateMetricsDeps extends MetricDeps {
  readonly now?: () => Date;
  /** Maximum number of projects: those whose certificates end first. */
  readonly projectsMax?: number;
}

const PROJECTS_MAX = 1000;
/** Certificate lifetimes are measured in days. */
const READ_EVERY_MS = 60_000;

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Gauges of certificate expiry. Projects are labelled by id, because readers of metrics are not signed in. While the
 * database is unreachable, they have no samples.
 */
export function measureCertificates(deps: CertificateMetricsDeps): void {
  const { db, metrics, now = () => new Date(), projectsMax = PROJECTS_MAX } = deps;
  const read = readForScrapes((at) => readProjectCertificates(db, at, projectsMax), { everyMs: READ_EVERY_MS, now });
  const gauge = (name: string, help: string, toSamples: (projects: readonly ProjectCertificates[]) => Sample[]) =>
    new Gauge({
      name: `flotilla_${name}`,
      help,
      labelNames: ['project', 'state'],
      registers: [metrics],
      async collect() {
        const projects = await read();
        this.reset();
        for (const { labels, value } of toSamples(projects ?? [])) this.set(labels, value);
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
      const projects = await read();
      if (projects) this.set(projects[0]?.projects ?? 0);
      else this.remove();
    },
  });
}
