import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Links within the page: to the same address with another query. */
export function NameLink({ search, children }: { search: { name?: string }; children: ReactNode }) {
  return (
    <Link to="." search={search}>
      {children}
    </Link>
  );
}
