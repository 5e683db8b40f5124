export const certificateAuthorityContext = () => 'certificate_authority';
