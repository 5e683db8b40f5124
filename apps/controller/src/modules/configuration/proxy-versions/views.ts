import type { Db } from '@flotilla/db';
import { compareVersions } from '@flotilla/envoy-dist';

export interface VersionUse {
  readonly version: string;
  readonly documents: number;
  readonly services: number;
}

/** The known versions and those that a project uses, newest first. */
export async function countByVersion(db: Db, project: string, known: readonly string[]): Promise<VersionUse[]> {
  const [documents, services] = await Promise.all([
    db
      .selectFrom('documents')
      .select(['version', (eb) => eb.fn.countAll<string>().as('count')])
      .where('project_id', '=', project)
      .groupBy('version')
      .execute(),
    db
      .selectFrom('services')
      .select(['version', (eb) => eb.fn.countAll<string>().as('count')])
      .where('project_id', '=', project)
      .groupBy('version')
      .execute(),
  ]);
  const documentsOf = new Map(documents.map(({ version, count }) => [version, Number(count)]));
  const servicesOf = new Map(services.map(({ version, count }) => [version, Number(count)]));
  return [...new Set([...known, ...documentsOf.keys(), ...servicesOf.keys()])]
    .sort((a, b) => compareVersions(b, a))
    .map((version) => ({
      version,
      documents: documentsOf.get(version) ?? 0,
      services: servicesOf.get(version) ?? 0,
    }));
}
