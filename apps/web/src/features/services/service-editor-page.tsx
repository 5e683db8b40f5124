export function NewServicePage() {
  return null;
}
export function EditServicePage() {
  return null;
}
