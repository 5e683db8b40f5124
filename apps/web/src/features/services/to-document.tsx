import { DocumentLink } from '../../app/links.tsx';
import { texts } from '../../texts/index.ts';
import { toKind } from './resource-kind.ts';
import classes from './service.module.css';

const text = texts.services.toDocument;

interface ToDocumentProps {
  readonly resource: { readonly type: string; readonly name: string } | undefined;
  /** Proxy version of the service's documents. */
  readonly version: string;
  /** `collection/name` of the documents that there are. */
  readonly known: ReadonlySet<string>;
}

/** Where it can be mended, and who changed it last. Nothing where no document describes it. */
export function ToDocument({ resource, version, known }: ToDocumentProps) {
  const collection = resource && toKind(resource.type).collection;
  if (!collection || !known.has(`${collection}/${resource.name}`)) return null;
  const key = { collection, name: resource.name, version };
  return (
    <div className={classes.side}>
      {text.mendIn(
        <DocumentLink {...key} />,
        <DocumentLink {...key} tab="history">
          {text.documentLink}
        </DocumentLink>,
      )}
    </div>
  );
}
