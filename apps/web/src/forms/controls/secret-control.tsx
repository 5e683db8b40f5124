import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import buttons from '../buttons.module.css';
import { fromInput, toInput } from '../model/scalar.ts';
import type { ControlProps } from './control-props.ts';
import controls from './controls.module.css';
import { TextControl } from './text-control.tsx';
import { texts } from './texts.tsx';

const words = texts.secretControl;

/** Edits a value that is hidden until the user asks to see it. It may have several lines, as keys and certificates do. */
export function SecretControl(props: ControlProps & { readonly placeholder?: string | undefined }) {
  const [isShown, setShown] = useState(false);
  const type = props.field.value.kind === 'scalar' ? props.field.value.type : 'string';
  return (
    <span className={controls.withButton}>
      <TextControl
        {...props}
        secret={!isShown}
        code
        multiline
        toText={toInput}
        fromText={(text) => fromInput(type, text)}
        placeholder={props.placeholder}
      />
      {props.value !== undefined && (
        <button
          type="button"
          className={buttons.iconButton}
          aria-pressed={isShown}
          aria-label={isShown ? words.hide : words.show}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <IconEyeOff size={15} aria-hidden /> : <IconEye size={15} aria-hidden />}
        </button>
      )}
    </span>
  );
}
