// The look of an inspection's page, and the little script that reads values off layers.

/// Style and script; neither asks for anything beyond the page.
enum PageStyle {
    static let style = HTML(
        trusted: """
            :root{--back:#fff;--text:#1b1b1f;--faint:#55555f;--line:#d5d5dc;--panel:#f4f4f7;--link:#0b57a4;--bad:#a40e0e;--cell:#e9e9ef}
            @media (prefers-color-scheme:dark){:root{--back:#16161a;--text:#ececf1;--faint:#a9a9b6;--line:#3a3a44;--panel:#202027;--link:#8ec2ff;--bad:#ff9d9d;--cell:#2a2a33}}
            *{box-sizing:border-box}
            body{margin:0;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
            header,main,footer{max-width:72rem;margin:0 auto;padding:0 1rem}
            h1{font-size:1.6rem;margin:1.2rem 0 0;overflow-wrap:anywhere}
            h2{font-size:1.25rem;margin:2.2rem 0 .5rem;border-bottom:1px solid var(--line)}
            h3{font-size:1.05rem;margin:1.4rem 0 .4rem}
            p{max-width:46rem;margin:.5rem 0}
            a{color:var(--link)}
            .lead,.note,figcaption{color:var(--faint)}
            nav ul{padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none}
            dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.6rem 0}
            dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}
            .scroll{overflow-x:auto;margin:.6rem 0}
            .scroll:focus-visible,.stage:focus-visible{outline:3px solid var(--link)}
            table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
            caption{text-align:left;font-weight:600;padding:.2rem 0}
            th,td{border:1px solid var(--line);padding:.15rem .5rem;text-align:left;vertical-align:top}
            .long{min-width:14rem;max-width:46rem;overflow-wrap:anywhere}
            th{background:var(--panel)}
            tr:target{background:var(--cell)}
            .swatch{display:inline-block;width:1em;height:1em;border:1px solid var(--faint);vertical-align:-.15em;margin-right:.4em;print-color-adjust:exact;-webkit-print-color-adjust:exact}
            .strip{display:flex;height:2.6rem;border:1px solid var(--line);overflow:hidden;print-color-adjust:exact;-webkit-print-color-adjust:exact}
            .strip a,.strip span{flex:1 1 0;min-width:1px;border-right:1px solid var(--back)}
            .legend{list-style:none;padding:0;margin:.4rem 0;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;font-size:.9rem}
            figure{margin:1rem 0}.block img{max-width:100%;height:auto;image-rendering:pixelated}
            .layers{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:0 1.5rem}
            .layers img,.stage{border:1px solid var(--line);background:#808080}
            .layers img{width:100%;image-rendering:pixelated;display:block}
            .stage{position:relative;display:block;max-width:100%;overflow:hidden;touch-action:pan-y;background:repeating-conic-gradient(#ccc 0 25%,#fff 0 50%) 0 0/16px 16px}
            .stage img{display:block;width:100%;height:auto}
            .stage .over{position:absolute;height:auto;image-rendering:pixelated;max-width:none}
            .pixelated{image-rendering:pixelated}
            .cursor{position:absolute;width:13px;height:13px;margin:-6px;border:2px solid #fff;outline:1px solid #000;border-radius:50%;pointer-events:none}
            .tools{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:center;margin:.6rem 0}
            .tools label{display:flex;gap:.4rem;align-items:center}
            select,input{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--faint);padding:.15rem;max-width:100%}
            output{display:block;min-height:1.5em;font-variant-numeric:tabular-nums}
            .pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:0 1.5rem}.pair img{width:100%}
            .problem{color:var(--bad);font-weight:600}
            .findings li{margin:.3rem 0}
            .frames{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:.8rem;padding:0;list-style:none;font-size:.85rem}
            .frames svg{width:100%;height:6rem;display:block;background:var(--panel)}
            [hidden]{display:none!important}
            @media (max-width:34rem){dl{grid-template-columns:1fr}dt{margin-top:.3rem}h1{font-size:1.3rem}}
            @media print{nav,.tools,.stage .over,.cursor,output{display:none}.scroll{overflow:visible}td{overflow-wrap:anywhere}tfoot{display:table-row-group}figure,tr,.strip{break-inside:avoid}h2,h3,caption,thead{break-after:avoid}.layers{grid-template-columns:repeat(3,1fr)}.frames{grid-template-columns:repeat(6,1fr)}:root{--back:#fff;--text:#000;--faint:#444;--line:#999;--panel:#eee;--link:#000;--bad:#900;--cell:#eee}}
            """)

    /// Lays a layer over the picture, and says the value below the pointer or the cursor that arrow keys move.
    static let script = HTML(
        trusted: """
            (()=>{
            const stage=document.querySelector('.stage');if(!stage)return;
            const tools=document.querySelector('.tools'),select=tools.querySelector('select'),range=tools.querySelector('input');
            const out=document.querySelector('#value'),figures=[...document.querySelectorAll('.layers figure')];
            const area=stage.dataset.size.split(' ').map(Number);
            const over=new Image();over.className='over';over.alt='';
            const cursor=document.createElement('span');cursor.className='cursor';cursor.hidden=true;
            const canvas=document.createElement('canvas'),context=canvas.getContext('2d',{willReadFrequently:true});
            let layer=null,words=null,x=Math.floor(area[0]/2),y=Math.floor(area[1]/2);
            stage.append(over,cursor);tools.hidden=false;
            function choose(){
              const figure=figures[select.value];words=null;layer=null;over.hidden=!figure;out.textContent='';
              if(!figure)return;
              const image=figure.querySelector('img');layer=JSON.parse(image.dataset.layer);
              over.src=image.src;
              const [px,py,pw,ph]=layer.place,[c,r]=layer.grid,[cw,ch]=layer.cell,[aw,ah]=layer.area;
              over.style.left=100*px/area[0]+'%';over.style.top=100*py/area[1]+'%';
              over.style.width=100*pw/area[0]*c*cw/aw+'%';over.style.height=100*ph/area[1]*r*ch/ah+'%';
              image.decode().then(()=>{canvas.width=c;canvas.height=r;context.drawImage(image,0,0);words=layer.words;say()});
            }
            function say(){
              cursor.hidden=false;cursor.style.left=100*(x+.5)/area[0]+'%';cursor.style.top=100*(y+.5)/area[1]+'%';
              let text='column '+x+', row '+y;
              if(layer&&words){
                const [px,py,pw,ph]=layer.place,[cw,ch]=layer.cell,[aw,ah]=layer.area;
                const cx=Math.floor((x-px)*aw/pw/cw),cy=Math.floor((y-py)*ah/ph/ch);
                if(cx>=0&&cy>=0&&cx<canvas.width&&cy<canvas.height){
                  const p=context.getImageData(cx,cy,1,1).data,key=[p[0],p[1],p[2]].map(v=>v.toString(16).padStart(2,'0')).join('');
                  text+=': '+(layer.exact?'':'about ')+(words[key]||(layer.colors?'#'+key:'nothing known'))+' ('+layer.of+')';
                }
              }
              out.textContent=text;
            }
            function point(event){
              const box=stage.getBoundingClientRect();
              x=Math.min(area[0]-1,Math.max(0,Math.floor((event.clientX-box.left)/box.width*area[0])));
              y=Math.min(area[1]-1,Math.max(0,Math.floor((event.clientY-box.top)/box.height*area[1])));say();
            }
            stage.addEventListener('pointermove',point);stage.addEventListener('pointerdown',point);
            stage.addEventListener('keydown',event=>{
              const step={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]}[event.key];
              if(!step)return;
              event.preventDefault();
              const size=layer?layer.cell:[1,1];
              x=Math.min(area[0]-1,Math.max(0,x+step[0]*size[0]));y=Math.min(area[1]-1,Math.max(0,y+step[1]*size[1]));say();
            });
            select.addEventListener('change',choose);
            range.addEventListener('input',()=>{over.style.opacity=range.value/100});
            over.style.opacity=range.value/100;
            if(figures.length){select.value='0';choose()}
            })();
            """)
}
