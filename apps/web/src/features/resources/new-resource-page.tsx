export function NewResourcePage() {
  return null;
}
