// A real browser as somebody uses it: opens a link in Chromium, fills in the forms that it meets, and
// writes down the page that it ended on.
//
//     PEERS=FOLDER CHROMIUM=PROGRAM node chromium.mjs FILE LINK
import { renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [file, link] = process.argv.slice(2);
const puppeteer = createRequire(`${process.env.PEERS}/puppeteer/package.json`)("puppeteer-core");
const PAGES = 8;

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  // A container has no room for its own walls.
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const page = await browser.newPage();
  const [dialogs, errors] = [[], []];
  page.on("dialog", async (dialog) => {
    dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(link);
  for (let at = 0; at < PAGES && (await page.$("form")); at += 1) {
    for (const input of await page.$$("form input:not([type=hidden])")) await input.type("somebody");
    await Promise.all([page.waitForNavigation(), page.click("form [type=submit]")]);
  }
  const [text, html] = [await page.$eval("body", (body) => body.innerText), await page.content()];
  const seen = { url: page.url(), title: await page.title(), text, html, dialogs, errors };
  // Whole or not there.
  writeFileSync(`${file}.part`, JSON.stringify(seen));
  renameSync(`${file}.part`, file);
} finally {
  await browser.close();
}
