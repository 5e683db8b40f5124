export function ResourcePage() {
  return null;
}
