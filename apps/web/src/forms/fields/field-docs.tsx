import { IconExternalLink } from '@tabler/icons-react';
import buttons from '../buttons.module.css';
import { toLabel } from '../model/names.ts';
import { isElement, type RowProps } from './row-props.ts';
import { texts } from './texts.tsx';

const text = texts.fieldDocs;

/** Links to the field in Envoy's documentation. It is no tab stop, because every field would add one. */
export function FieldDocs({ props }: { readonly props: RowProps }) {
  const { docs, field } = props;
  if (docs === undefined || isElement(props)) return null;
  const title = text.ofField(toLabel(field.name));
  return (
    <a
      className={buttons.iconButton}
      data-quiet
      href={docs + field.name.replaceAll('_', '-')}
      target="_blank"
      rel="noreferrer"
      title={title}
      aria-label={title}
      tabIndex={-1}
    >
      <IconExternalLink size={14} aria-hidden />
    </a>
  );
}
