import { type Db, publish } from '@flotilla/db';

export interface SmuggledDocument {
  readonly project: string;
  readonly version: string;
  readonly collection: string;
  readonly name: string;
  readonly resource: object;
}

/** Replaces a document without the checks of a write, as an author without host access, and announces it like a write. */
export async function smuggleDocument(db: Db, document: SmuggledDocument): Promise<void> {
  const { project, version, collection, name, resource } = document;
  await db.transaction().execute(async (tx) => {
    const { id } = await tx
      .updateTable('documents')
      .set({ resource: JSON.stringify({ ...resource, name }), host_access: false })
      .set((eb) => ({ revision: eb('revision', '+', 1) }))
      .where('project_id', '=', project)
      .where('version', '=', version)
      .where('collection', '=', collection)
      .where('name', '=', name)
      .returning('id')
      .executeTakeFirstOrThrow();
    await publish(
      tx,
      'documents.changed',
      { project, version, ids: [id], keys: [`${collection}/${name}`] },
      new Date(),
    );
  });
}
