export function pdfFile(objects: readonly string[]): Buffer;
