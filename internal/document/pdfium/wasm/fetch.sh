#!/bin/sh
# Puts pdfium.wasm beside this script, where the Go build embeds it. The version
# is pinned in package.json, the content by package-lock.json and by the sum below.
set -eu
cd "$(dirname "$0")"
sum=5e4cd023c3dad4a895b3571ca573d3fc51bac6de48360d95283134385b954eaa

check() {
	if command -v sha256sum >/dev/null; then
		echo "$sum  $1" | sha256sum -c - >/dev/null 2>&1
	else
		echo "$sum  $1" | shasum -a 256 -c - >/dev/null 2>&1
	fi
}

if [ -f pdfium.wasm ] && check pdfium.wasm; then
	exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
if ! check node_modules/@embedpdf/pdfium/dist/pdfium.wasm; then
	echo "pdfium.wasm is not the file that was pinned" >&2
	exit 1
fi
cp node_modules/@embedpdf/pdfium/dist/pdfium.wasm pdfium.wasm.tmp
mv pdfium.wasm.tmp pdfium.wasm
rm -rf node_modules
