import { useForm } from '../form-context.ts';
import compact from './compact.module.css';
import { texts } from './texts.tsx';

/** A cell in place of an item that is a reference: the name of the stored document, with a link to it. */
export function StoredDocument({ reference }: { readonly reference: string }) {
  const { linkTo } = useForm();
  const [collection = '', ...name] = reference.split('/');
  const link = linkTo(collection, name.join('/'));
  return (
    <span className={compact.other}>
      {texts.rows.stored}{' '}
      {link === undefined ? (
        reference
      ) : (
        <a href={link} target="_blank" rel="noreferrer">
          {reference}
        </a>
      )}
    </span>
  );
}
