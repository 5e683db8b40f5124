import { Checkbox, type CheckboxProps } from '@mantine/core';
import classes from './table.module.css';

/** A checkbox that handles clicks on the whole cell: a click beside the checkbox would open the row. */
export function Choice(props: CheckboxProps & { readonly 'aria-label': string }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is within
    <label className={classes.choiceArea}>
      <Checkbox size="xs" {...props} />
    </label>
  );
}
