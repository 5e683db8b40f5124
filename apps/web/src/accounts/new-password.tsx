import { Button, PasswordInput } from '@mantine/core';
import { useId, useState } from 'react';
import { routes, useApi } from '../api/index.ts';
import { Copy, StateShape } from '../ui/index.ts';
import classes from './new-password.module.css';
import { judgeRules, LEAST_LENGTH, makePassword } from './password-rules.ts';
import { texts } from './texts.tsx';

const words = texts.newPassword;

interface NewPasswordProps {
  readonly label: string;
  /** The password must not contain this name. */
  readonly username: string;
  readonly value?: string;
  readonly onChange: (password: string) => void;
  readonly error?: string | undefined;
  /** Offers to generate a password, for an admin who sets it for someone else. */
  readonly canMake?: boolean;
}

/** Password input that shows the rules and which of them the input meets. */
export function NewPassword({ label, username, value = '', onChange, error, canMake }: NewPasswordProps) {
  const [isVisible, setVisible] = useState(false);
  const rulesId = useId();
  const minLength = useApi(routes.directory.realms, {}).data?.body.password_min_length ?? LEAST_LENGTH;
  return (
    <div className={classes.password}>
      <PasswordInput
        label={label}
        autoComplete="new-password"
        required
        withAsterisk={false}
        maxLength={1024}
        aria-describedby={rulesId}
        visible={isVisible}
        onVisibilityChange={setVisible}
        visibilityToggleButtonProps={{ 'aria-label': words.show }}
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <ul id={rulesId} className={classes.rules}>
        {judgeRules(value, username, minLength).map(({ text, isKept }) => (
          <li key={text}>
            <StateShape tone={isKept ? 'good' : 'quiet'} shape={isKept ? 'full' : 'ring'} />
            {text}
            <span className="visually-hidden">{isKept ? words.kept : words.notKept}</span>
          </li>
        ))}
        <li>
          <StateShape tone="quiet" shape="ring" />
          {words.notCommon}
        </li>
      </ul>
      {canMake && (
        <div className={classes.foot}>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => {
              onChange(makePassword(minLength));
              setVisible(true);
            }}
          >
            {words.generate}
          </Button>
          {value && <Copy text={value} what={words.copied} />}
        </div>
      )}
    </div>
  );
}
