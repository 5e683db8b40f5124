import { Autocomplete } from '@mantine/core';
import { useProxyVersions } from '../use-proxy-versions.ts';

interface VersionFieldProps {
  readonly value: string;
  readonly onChange: (version: string) => void;
  readonly current: string | undefined;
}

/** Any exact release may be typed: a client fetches what it does not have. */
export function VersionField({ value, onChange, current }: VersionFieldProps) {
  const versions = useProxyVersions();
  const isWrong = !/^[\d.]*$/.test(value);
  return (
    <Autocomplete
      label="Proxy version"
      description={current ? `The service's own is ${current}. Type any release, such as 1.39.3.` : undefined}
      data={[...versions]}
      value={value}
      onChange={onChange}
      error={isWrong ? 'An exact release such as 1.39.3' : undefined}
      data-autofocus
    />
  );
}
