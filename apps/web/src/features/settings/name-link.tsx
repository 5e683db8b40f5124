import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link within the page: the same address with another query. */
export function NameLink({ search, children }: { search: { name?: string }; children: ReactNode }) {
  return (
    <Link to="." search={search}>
      {children}
    </Link>
  );
}
