import { IconX } from '@tabler/icons-react';
import buttons from '../buttons.module.css';
import { focusFirst } from '../form-context.ts';

/** Removes a value. The focus moves to the row itself, or to a neighbour if the row is gone. */
export function RemoveButton({ label, onRemove }: { readonly label: string; readonly onRemove: () => void }) {
  return (
    <button
      type="button"
      className={buttons.iconButton}
      data-quiet
      aria-label={label}
      title={label}
      onClick={(event) => {
        const row = event.currentTarget.closest('[data-row]');
        const neighbours = [row, row?.nextElementSibling, row?.previousElementSibling];
        onRemove();
        requestAnimationFrame(() => {
          const left = neighbours.find((element) => element?.isConnected);
          if (document.activeElement === document.body || !document.activeElement?.isConnected) focusFirst(left);
        });
      }}
    >
      <IconX size={15} aria-hidden />
    </button>
  );
}
