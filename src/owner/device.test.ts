import { expect, test } from 'bun:test'
import { deviceOf } from './routes.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const linux = 'Mozilla/5.0 (X11; Linux x86_64)'
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
const android = 'Mozilla/5.0 (Linux; Android 14; Pixel 8)'
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

test.each([
  [`${linux} ${webKit} HeadlessChrome/131.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`${linux} ${webKit} Ubuntu Chromium/131.0.0.0 Chrome/131.0.0.0 Safari/537.36`, 'Chromium on Linux'],
  [`${windows} ${webKit} Chrome/131.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [`${windows} ${webKit} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`, 'Edge on Windows'],
  [`${windows} ${webKit} Chrome/64.0.0.0 Safari/537.36 Edge/18.0`, 'Edge on Windows'],
  [`${windows} ${webKit} Chrome/131.0.0.0 Safari/537.36 OPR/116.0.0.0`, 'Opera on Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox on Linux'],
  [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`, 'Safari on macOS'],
  [`${android} ${webKit} Chrome/131.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [`${android} ${webKit} Chrome/131.0.0.0 Mobile Safari/537.36 EdgA/131.0.0.0`, 'Edge on Android'],
  [`${android} ${webKit} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`, 'Samsung Internet on Android'],
  ['Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0', 'Firefox on Android'],
  [`${iPhone} Version/18.0 Mobile/15E148 Safari/604.1`, 'Safari on iPhone'],
  [`${iPhone} CriOS/131.0.0.0 Mobile/15E148 Safari/604.1`, 'Chrome on iPhone'],
  [`${iPhone} FxiOS/133.0 Mobile/15E148 Safari/605.1.15`, 'Firefox on iPhone'],
  [`${iPhone} Version/18.0 EdgiOS/131.0.0.0 Mobile/15E148 Safari/604.1`, 'Edge on iPhone'],
  [`${iPhone} Version/18.0 Mobile/15E148 Safari/604.1 OPT/5.2.0`, 'Opera on iPhone'],
  ['curl/8.5.0', 'curl'],
  ['', 'Unknown device'],
])('a device is named by its browser and system: %s', (userAgent, device) => {
  expect(deviceOf(userAgent)).toBe(device)
})
