import { sql } from 'kysely';
import type { ApplyBatches } from '../applier.ts';

/** Adds to the table of `createCatalogue`, as the catalogue does: by the last number of each sender, in one transaction. */
export const applyToTestCatalogue: ApplyBatches = (db, inputs) =>
  db.transaction().execute(async (tx) => {
    const outcomes: ('applied' | 'duplicate')[] = [];
    for (const { clientId, serviceId, epoch, sequence, deltas } of inputs) {
      const seen = deltas.reduce((sum, delta) => sum + delta.seen, 0);
      const { rows } = await sql`
        insert into test_catalogue select ${clientId}::uuid, ${serviceId}::uuid, ${epoch}, ${sequence}, ${seen}
        where not exists (select from test_catalogue where client = ${clientId}::uuid and service = ${serviceId}::uuid
          and epoch = ${epoch} and sequence >= ${sequence}) returning sequence`.execute(tx);
      outcomes.push(rows.length > 0 ? 'applied' : 'duplicate');
    }
    return outcomes;
  });
